"use strict";
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
const nodeName = (node) => node.name + (node.index > 0 ? "[" + node.index + "]" : "");

let current = 0;      // graph
let chosenNode = -1;  // of that graph
const graph = () => data.graphs[current];

// Overview and findings.

function showOverview() {
  const g = graph();
  const rows = [["Runs", count(g.runs)], ["Continuations", count(g.continuations)], ["Steps", count(g.steps)],
    ["Barriers", count(g.barriers)], ["Levels", count(g.levels)], ["Nodes", count(g.nodes.length)],
    ["Time on the device", time(g.ns)], ["Records", count(g.nodes.reduce((n, node) => n + node.records, 0))],
    ["Payload bytes", bytes(g.bytes_written)], ["Most payload memory", bytes(g.memory_bytes)],
    ["Reserved for payloads", bytes(g.region_bytes)], ["Tables", bytes(g.table_bytes)],
    ["Scratch memory", bytes(g.scratch_bytes)]];
  $("overview").replaceChildren(...rows.map(([name, value]) =>
    make("div", {}, make("dt", {textContent: name}), make("dd", {textContent: value}))));
}

function showFindings() {
  const own = data.findings.filter((finding) => finding.graph === current);
  const items = own.map((finding) => {
    const text = finding.node === null ? finding.text
      : make("button", {type: "button", textContent: finding.text, onclick: () => choose(finding.node, true)});
    return make("li", {className: finding.kind}, text, make("small", {textContent: finding.advice}));
  });
  $("findings").replaceChildren(...(items.length > 0 ? items : [make("li", {textContent: "Nothing stands out."})]));
}

// The drawing: Graphviz has placed everything, colours say how much of the whole a node has.

const measures = {
  "time": (node) => node.ns,
  "records": (node) => node.records,
  "workgroups": (node) => node.workgroups,
  "lanes held": (node) => node.lanes_held,
  "idle lanes": (node) => node.lanes_held - node.lanes_used,
  "bytes read": (node) => node.bytes_read,
};

function paint() {
  const g = graph();
  const measure = measures[$("measure").value];
  const values = new Map();
  g.nodes.forEach((node, n) => values.set(g.boxes[n], (values.get(g.boxes[n]) ?? 0) + (measure(node) ?? 0)));
  const most = Math.max(1, ...values.values());
  for (const [n, value] of values) {
    const box = $("g" + current + "n" + n);
    const part = Math.sqrt(value / most);
    const shape = box?.querySelector("polygon, ellipse, path");
    if (!shape) continue;
    shape.style.fill = "color-mix(in srgb, var(--high) " + (part * 100).toFixed(0) + "%, var(--low))";
    box.classList.toggle("dark", part > 0.55);
  }
}

function prepareDrawings() {
  document.querySelectorAll(".drawing svg").forEach((svg) => {
    // As large as it is wanted to be read, but no wider than there is room if that is nearly so.
    svg.style.maxWidth = svg.viewBox.baseVal.width < 1200 ? "100%" : "none";
    svg.style.height = "auto";
  });
  data.graphs.forEach((g, index) => new Set(g.boxes).forEach((n) => {
    const box = $("g" + index + "n" + n);
    if (!box) return;
    const members = g.boxes.filter((other) => other === n).length;
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", g.nodes[n].name + ", " + members + (members > 1 ? " nodes" : " node"));
    box.addEventListener("click", () => choose(n, true));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(n, true);
    });
  }));
}

// The table.

const columns = [
  ["Node", nodeName, (node) => nodeName(node)],
  ["Launch", (node) => node.launch, (node) => node.launch],
  ["Levels", (node) => node.levels?.[0] ?? -1,
    (node) => (node.levels ? [...new Set(node.levels)].join("-") : "-")],
  ["Records", (node) => node.records, (node) => count(node.records)],
  ["Workgroups", (node) => node.workgroups, (node) => count(node.workgroups)],
  ["Lanes used", (node) => share(node.lanes_used, node.lanes_held),
    (node) => (node.lanes_held > 0 ? percent(share(node.lanes_used, node.lanes_held)) : "-")],
  ["Read", (node) => node.bytes_read, (node) => bytes(node.bytes_read)],
  ["Written", (node) => node.bytes_written ?? -1, (node) => bytes(node.bytes_written)],
  ["Of budget", (node) => share(node.bytes_written ?? 0, node.budget_bytes),
    (node) => (node.budget_bytes > 0 && node.bytes_written !== null
      ? percent(share(node.bytes_written, node.budget_bytes)) : "-")],
  ["Time", (node) => node.ns ?? -1, (node) => time(node.ns)],
];
let sortColumn = 4;
let descending = true;

function showHeader() {
  $("nodes").tHead.replaceChildren(make("tr", {}, ...columns.map(([name], c) => {
    const arrow = c === sortColumn ? (descending ? " \u25bc" : " \u25b2") : "";
    const cell = make("th", {scope: "col"}, make("button", {type: "button", textContent: name + arrow, onclick: () => {
      descending = c === sortColumn ? !descending : c > 2;
      sortColumn = c;
      showNodes();
      $("nodes").tHead.querySelectorAll("button")[c].focus();
    }}));
    if (c === sortColumn) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    return cell;
  })));
}

function showNodes() {
  showHeader();
  const wanted = $("find").value.toLowerCase();
  const key = columns[sortColumn][1];
  const order = graph().nodes.map((node, n) => n).filter((n) =>
    nodeName(graph().nodes[n]).toLowerCase().includes(wanted));
  order.sort((a, b) => {
    const [x, y] = [key(graph().nodes[a]), key(graph().nodes[b])];
    const difference = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
    return descending ? -difference : difference;
  });
  $("nodes").tBodies[0].replaceChildren(...order.map((n) => {
    const node = graph().nodes[n];
    const row = make("tr", {onclick: () => choose(n, false)},
      ...columns.map((column) => make("td", {textContent: column[2](node)})));
    row.dataset.node = n;
    row.classList.toggle("chosen", n === chosenNode);
    return row;
  }));
}

function choose(n, scroll) {
  chosenNode = n;
  document.querySelectorAll(".drawing .node.chosen").forEach((box) => box.classList.remove("chosen"));
  $("g" + current + "n" + graph().boxes[n])?.classList.add("chosen");
  if (!nodeName(graph().nodes[n]).toLowerCase().includes($("find").value.toLowerCase())) $("find").value = "";
  showNodes();
  if (scroll) document.querySelector("tr.chosen")?.scrollIntoView({block: "center"});
}

// The timeline. Without a clock every step counts as long.

let steps = [];    // indices into the columns of data.steps, of the current graph
let begins = [];
let ends = [];
let range = [0, 1];  // that is shown
let chosenStep = -1; // into `steps`

function loadSteps() {
  const all = data.steps;
  steps = all.level.map((level, s) => s).filter((s) => all.graph[s] === current);
  begins = steps.map((s, i) => (data.timed ? all.begin[s] : i));
  ends = steps.map((s, i) => (data.timed ? all.begin[s] + all.ns[s] : i + 1));
  range = whole();
  chosenStep = -1;
  $("step").textContent = steps.length > 0 ? "" : "No step of this graph was recorded.";
}

function whole() {
  const end = ends.reduce((most, x) => Math.max(most, x), 0);
  const begin = begins.length > 0 ? begins[0] : 0;
  return [begin, Math.max(end, begin + 1)];
}

function context(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const to = canvas.getContext("2d");
  to.scale(ratio, ratio);
  to.clearRect(0, 0, width, height);
  to.font = "12px system-ui, sans-serif";
  return [to, width, height];
}

const kLeft = 52;
const placeOf = (t, width) => kLeft + (t - range[0]) / (range[1] - range[0]) * (width - kLeft);

function mix(a, b, part) {
  const number = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const [from, to] = [number(a), number(b)];
  return "rgb(" + from.map((x, i) => Math.round(x + (to[i] - x) * part)).join(",") + ")";
}

// The first step that ends behind a time.
function firstBehind(t) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function drawTimeline() {
  const [to, width, height] = context($("timeline"));
  const levels = Math.max(1, graph().levels);
  const rowHeight = (height - 24) / levels;
  const [bad, good, text, line] = ["--lanes-bad", "--lanes-good", "--dim", "--line"].map(css);
  to.fillStyle = text;
  const every = Math.ceil(14 / rowHeight);
  for (let level = 0; level < levels; level += every)
    to.fillText(level === 0 ? "API" : "level " + level, 4, 11 + level * rowHeight + Math.min(rowHeight / 2, 8) - 4);
  drawAxis(to, width, height, text, line);
  const all = data.steps;
  for (let i = firstBehind(range[0]); i < steps.length && begins[i] < range[1]; i++) {
    const s = steps[i];
    const x = Math.max(kLeft, placeOf(begins[i], width));
    const w = Math.max(1, placeOf(ends[i], width) - x - (i + 1 < steps.length ? 0.3 : 0));
    const idle = all.workgroups[s] === 0;
    to.fillStyle = idle ? line : mix(bad, good, share(all.lanes_used[s], all.lanes_held[s]));
    to.fillRect(x, all.level[s] * rowHeight + 1, w, Math.max(1, rowHeight - 1));
    if (i === chosenStep) {
      to.strokeStyle = css("--accent");
      to.lineWidth = 2;
      to.strokeRect(x - 1, all.level[s] * rowHeight, w + 2, Math.max(3, rowHeight));
    }
  }
}

function drawAxis(to, width, height, text, line) {
  const span = range[1] - range[0];
  const rough = span / Math.max(2, (width - kLeft) / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const tick = power * ([1, 2, 5, 10].find((f) => f * power >= rough) ?? 10);
  to.strokeStyle = line;
  to.fillStyle = text;
  to.lineWidth = 1;
  for (let t = Math.ceil(range[0] / tick) * tick; t <= range[1]; t += tick) {
    const x = placeOf(t, width);
    to.beginPath();
    to.moveTo(x, 0);
    to.lineTo(x, height - 18);
    to.stroke();
    to.fillText(data.timed ? time(t) : count(t), Math.min(x + 2, width - 46), height - 5);
  }
}

function drawMemory() {
  const [to, width, height] = context($("memory"));
  const all = data.steps;
  const most = Math.max(1, graph().memory_bytes);
  const yOf = (n) => height - 4 - n / most * (height - 20);
  to.fillStyle = css("--dim");
  to.fillText(bytes(most), 4, 12);
  to.fillStyle = css("--high");
  to.globalAlpha = 0.75;
  for (let i = firstBehind(range[0]); i < steps.length && begins[i] < range[1]; i++) {
    const x = Math.max(kLeft, placeOf(begins[i], width));
    const y = yOf(all.memory_bytes[steps[i]]);
    to.fillRect(x, y, Math.max(1, placeOf(ends[i], width) - x), height - 4 - y);
  }
  to.globalAlpha = 1;
}

function drawTimes() {
  drawTimeline();
  drawMemory();
}

function showStep(i) {
  if (steps.length === 0) return;
  chosenStep = Math.max(0, Math.min(steps.length - 1, i));
  const [all, s] = [data.steps, steps[chosenStep]];
  const busiest = all.busiest[s] === null ? "" : ", most of them of " + nodeName(graph().nodes[all.busiest[s]]);
  $("step").textContent = "Step " + (chosenStep + 1) + " of " + steps.length + ": run " + all.run[s] + ", sweep " +
    all.sweep[s] + ", " + (all.level[s] === 0 ? "payloads of the API" : "level " + all.level[s]) +
    (data.timed ? ", " + time(all.ns[s]) : "") + "; " + count(all.records[s]) + " records, " +
    count(all.workgroups[s]) + " workgroups of " + all.nodes[s] + (all.nodes[s] === 1 ? " node" : " nodes") + busiest +
    "; lanes " + percent(share(all.lanes_used[s], all.lanes_held[s])) + "; payload memory " +
    bytes(all.memory_bytes[s]) + ".";
  const [begin, end] = [begins[chosenStep], ends[chosenStep]];
  const span = range[1] - range[0];
  if (begin < range[0] || end > range[1]) setRange((begin + end) / 2 - span / 2, span);
  else drawTimes();
}

function setRange(begin, span) {
  const [first, last] = whole();
  span = Math.max(1, Math.min(last - first, span));
  begin = Math.max(first, Math.min(last - span, begin));
  range = [begin, begin + span];
  drawTimes();
}

function zoom(factor, around = (range[0] + range[1]) / 2) {
  const span = (range[1] - range[0]) * factor;
  setRange(around - (around - range[0]) * factor, span);
}

function timeAt(event) {
  const canvas = $("timeline");
  return range[0] + (event.offsetX - kLeft) / (canvas.clientWidth - kLeft) * (range[1] - range[0]);
}

function stepAt(event) {
  const row = Math.floor(event.offsetY / (($("timeline").clientHeight - 24) / Math.max(1, graph().levels)));
  const slack = (range[1] - range[0]) * 4 / $("timeline").clientWidth;
  const t = timeAt(event);
  let best = -1;
  for (let i = firstBehind(t - slack); i < steps.length && begins[i] <= t + slack; i++)
    if (best < 0 || data.steps.level[steps[i]] === row) best = i;
  return best;
}

function prepareTimeline() {
  const canvas = $("timeline");
  const keys = {
    ArrowRight: () => showStep(chosenStep + 1), ArrowLeft: () => showStep(Math.max(0, chosenStep - 1)),
    Home: () => showStep(0), End: () => showStep(steps.length - 1),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event));
  }, {passive: false});
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = {x: event.offsetX, begin: range[0], moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const span = range[1] - range[0];
    drag.moved ||= Math.abs(event.offsetX - drag.x) > 4;
    if (drag.moved) setRange(drag.begin - (event.offsetX - drag.x) / (canvas.clientWidth - kLeft) * span, span);
  });
  canvas.addEventListener("pointerup", (event) => {
    const found = drag?.moved ? -1 : stepAt(event);
    drag = null;
    if (found >= 0) showStep(found);
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  $("zoom-in").onclick = () => zoom(0.5);
  $("zoom-out").onclick = () => zoom(2);
  $("zoom-all").onclick = () => { range = whole(); drawTimes(); };
}

function showGraph() {
  chosenNode = -1;
  document.querySelectorAll(".drawing").forEach((drawing) => { drawing.hidden = drawing.id !== "drawing" + current; });
  showOverview();
  showFindings();
  paint();
  showNodes();
  loadSteps();
  drawTimes();
}

$("device").textContent = data.device.name + ", subgroups of " + data.device.subgroup_size + "; " + data.device.settings;
if (data.graphs.length === 0) {
  document.querySelector("main").replaceChildren(make("p", {textContent: "No graph ran in this trace."}));
} else {
  $("graph").append(...data.graphs.map((g, i) => make("option", {value: i, textContent: g.name})));
  $("chooser").hidden = data.graphs.length < 2;
  $("graph").onchange = () => { current = Number($("graph").value); showGraph(); };
  const known = Object.keys(measures).filter((name) => name !== "time" ||
    data.graphs.some((g) => g.nodes.some((node) => node.ns !== null && node.workgroups > 0)));
  $("measure").append(...known.map((name) => make("option", {value: name, textContent: name})));
  $("measure").value = "lanes held";
  $("measure").onchange = paint;
  $("find").oninput = showNodes;
  prepareDrawings();
  prepareTimeline();
  showGraph();
  new ResizeObserver(drawTimes).observe($("timeline"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimes);
}
