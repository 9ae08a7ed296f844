"use strict";
// What the pages share.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Numbers for people.
const count = (n) => n.toLocaleString("en");
const share = (part, whole) => (whole > 0 ? part / whole : 0);
const percent = (x) => (x * 100).toFixed(x < 0.1 && x > 0 ? 1 : 0) + " %";
const scaled = (n, base, units) => {
  let unit = 0;
  for (; n >= base && unit + 1 < units.length; unit++) n /= base;
  return (unit === 0 || n >= 100 ? n.toFixed(0) : n.toFixed(1)) + " " + units[unit];
};
const bytes = (n) => (n === null ? "-" : scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]));
const time = (ns) => (ns === null ? "-" : scaled(ns, 1000, ["ns", "us", "ms", "s"]));

// One of the elements is reached by Tab, the others from there by arrow keys.
function rove(elements) {
  elements.forEach((element, i) => {
    element.tabIndex = i === 0 ? 0 : -1;
    element.addEventListener("focus", () => {
      elements.forEach((other) => { if (other !== element && other.tabIndex === 0) other.tabIndex = -1; });
      element.tabIndex = 0;
    });
    element.addEventListener("keydown", (event) => {
      const move = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      elements[(i + move + elements.length) % elements.length].focus();
    });
  });
}
