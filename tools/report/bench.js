const {results, cases, growth} = data;
const severalResults = results.length > 1;

// Numbers for people; times are in microseconds.
const microseconds = (us) => time(us * 1000);
const amount = (value, unit) => (unit === "us" ? microseconds(value) : unit === "bytes" ? bytes(value)
  : number(value) + (unit ? " " + unit : ""));
const number = (x) => (x >= 100 ? count(Math.round(x)) : x.toPrecision(3));
const ratioText = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2));
const short = (x) => {
  const [base, units] = x >= 1024 && Number.isInteger(Math.log2(x)) ? [1024, ["", " Ki", " Mi", " Gi"]] : [1000, ["", " k", " M", " G"]];
  let unit = 0;
  for (; x >= base && unit + 1 < units.length; unit++) x /= base;
  return Number(x.toPrecision(3)) + units[unit];
};

// What belongs to a result has its colour and shape, so that nobody needs to tell colours apart.
const shapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond];
const colourOf = (result) => "var(--series-" + result % 4 + ")";
const shapeOf = (result) => d3.symbol().type(shapes[result % shapes.length]).size(70)();

const svgElement = (parent, className) => d3.select(parent).append("svg").attr("class", className);

function legendEntry(text, colour, shape) {
  const entry = make("span", {});
  const svg = svgElement(entry, "").attr("viewBox", "-13 -6 26 12").attr("aria-hidden", "true");
  if (shape) svg.append("path").attr("d", shape).style("fill", colour);
  else svg.append("path").attr("d", "M-13,0H13").style("stroke", colour).style("stroke-width", 2);
  entry.append(text);
  return entry;
}

function showResults() {
  $("results").replaceChildren(...results.map((r) => {
    const settings = Object.entries(r.settings).map(([name, value]) => name + "=" + value).join(", ");
    return make("li", {}, make("strong", {textContent: severalResults ? r.label + ": " : ""}),
      [r.device, r.driver.trim(), r.date, "size " + r.size, r.runs + " runs", settings].filter((x) => x).join(", "));
  }));
  $("ratio-legend").replaceChildren(...results.map((r, i) => legendEntry(r.label, colourOf(i), shapeOf(i))));
  $("ratio-legend").hidden = !severalResults;
}

// The ratios: a row for each case with a strip of the same logarithmic scale.

const ratioScale = d3.scaleLog();
const means = () => ({workload: "", case: "geometric mean of W1 to W10", mean: true,
  results: results.map((r) => (r.mean === null ? null : {ratio: r.mean, versions: []}))});

function shownCases() {
  const wanted = $("workloads").value;
  const shown = cases.filter((c) => wanted === "" || (wanted === "W" ? /^W\d/.test(c.workload) : c.workload === wanted));
  return (wanted === "" || wanted === "W") && results.some((r) => r.mean !== null) ? [...shown, means()] : shown;
}

const medianOf = (times, role) => {
  const all = (times?.versions ?? []).filter((v) => v.role === role).map((v) => v.median);
  return all.length > 0 ? microseconds(Math.min(...all)) : "";
};

function describe(c) {
  return (c.workload + " " + c.case).trim() + ": " + c.results.map((times, r) => {
    if (times === null) return results[r].label + ": not measured";
    const versions = times.versions.map((v) => (v.role === "graph" ? "graph" : v.role + " \u201c" + v.name + "\u201d") + " " +
      microseconds(v.median) + " (" + microseconds(v.least) + " to " + microseconds(v.most) + ")");
    return (severalResults ? results[r].label + ": " : "") + [ratioText(times.ratio) + " of the best by hand", ...versions].join(", ");
  }).join("; ") + ".";
}

function strip(cell, c) {
  const svg = svgElement(cell, "").attr("aria-hidden", "true");
  cell.draw = () => {
    svg.selectAll("*").remove();
    const middle = svg.node().clientHeight / 2;
    const found = c.results.map((times, r) => ({times, r})).filter(({times}) => times !== null);
    const places = found.map(({times}) => ratioScale(times.ratio));
    svg.append("line").attr("class", "span").attr("x1", Math.min(...places, ratioScale(1)))
      .attr("x2", Math.max(...places, ratioScale(1))).attr("y1", middle).attr("y2", middle);
    svg.append("line").attr("class", "goal").attr("x1", ratioScale(1)).attr("x2", ratioScale(1)).attr("y2", 2 * middle);
    found.forEach(({times, r}) => svg.append("path").attr("class", "mark").attr("d", shapeOf(r))
      .attr("transform", "translate(" + ratioScale(times.ratio) + "," + middle + ")").style("fill", colourOf(r)));
  };
  return cell;
}

function ratioRow(c) {
  const name = make("button", {type: "button", textContent: (c.workload + " " + c.case).trim()});
  const cells = [make("td", {className: "name"}, name), strip(make("td", {className: "strip"}), c)];
  results.forEach((_, r) => cells.push(make("td", {className: "number",
    textContent: c.results[r] === null ? "-" : ratioText(c.results[r].ratio)})));
  if (!severalResults) {
    cells.push(make("td", {className: "number wide", textContent: medianOf(c.results[0], "graph")}),
      make("td", {className: "number wide", textContent: medianOf(c.results[0], "hand")}));
  }
  const row = make("tr", {className: c.mean ? "mean" : ""}, ...cells);
  const choose = () => {
    document.querySelectorAll("#ratios tr.chosen").forEach((other) => other.classList.remove("chosen"));
    row.classList.add("chosen");
    $("ratio").textContent = describe(c);
  };
  row.onclick = choose;
  name.onfocus = choose;
  return row;
}

function showRatios() {
  const shown = shownCases();
  const axis = make("th", {className: "strip", scope: "col", ariaLabel: "Ratio"});
  const header = [make("th", {className: "name", scope: "col", textContent: "Case"}), axis];
  results.forEach((r) => header.push(make("th", {className: "number", scope: "col",
    textContent: severalResults ? r.label : "Ratio"})));
  if (!severalResults)
    for (const text of ["Graph", "By hand"]) header.push(make("th", {className: "number wide", scope: "col", textContent: text}));
  $("ratios").tHead.replaceChildren(make("tr", {}, ...header));
  svgElement(axis, "axis").attr("aria-hidden", "true");
  $("ratios").tBodies[0].replaceChildren(...shown.map(ratioRow));
  $("ratio").textContent = "";
  rove([...$("ratios").tBodies[0].querySelectorAll("button")]);
  drawRatios();
}

function drawRatios() {
  const axis = d3.select("#ratios thead svg");
  const width = axis.node().clientWidth;
  const ratios = shownCases().flatMap((c) => c.results).filter((times) => times !== null).map((times) => times.ratio);
  ratioScale.domain([Math.min(0.5, ...ratios) / 1.2, Math.max(2, ...ratios) * 1.2]).range([0, Math.max(1, width)]);
  const [low, high] = ratioScale.domain();
  // As many as there is room for, 1 always among them.
  const every = Math.max(1, Math.ceil(Math.log10(high / low) * 44 / Math.max(44, width)));
  const ticks = d3.range(-12, 13).map((power) => 10 ** (power * every)).filter((x) => x >= low && x <= high);
  axis.selectAll("*").remove();
  axis.append("g").attr("transform", "translate(0,20)").call(d3.axisTop(ratioScale).tickValues(ticks).tickFormat((x) => String(Number(x.toPrecision(3)))));
  document.querySelectorAll("#ratios tbody .strip").forEach((cell) => cell.draw());
}

// Growth.

const lineName = (line) => line.name + (severalResults ? ", " + results[line.result].label : "");
// Of programs by hand only those of the first result that has them are drawn: they do not depend on settings.
const linesOf = (series) => series.lines.filter((line) => line.is_graph ||
  !series.lines.some((other) => !other.is_graph && other.name === line.name && other.result < line.result));
const lineColour = (line) => (line.is_graph ? colourOf(line.result) : "var(--hand)");

function growthFigure(series) {
  const lines = linesOf(series);
  const detail = make("p", {className: "detail", ariaLive: "polite"});
  const title = series.workload + ": " + series.what + " by " + series.axis;
  const figure = make("figure", {}, make("figcaption", {textContent: title}),
    make("p", {className: "legend"}));
  figure.querySelector(".legend").append(...lines.map((line) =>
    legendEntry(lineName(line), lineColour(line), line.is_graph ? shapeOf(line.result) : null)));
  const svg = svgElement(figure, "plot").attr("role", "group").attr("aria-label", title);
  const verdicts = lines.filter((line) => line.words !== undefined).map((line) =>
    make("li", {className: line.linear ? "linear" : "bent", textContent: lineName(line) + ": " + line.words}));
  figure.append(detail, make("ul", {className: "verdicts"}, ...verdicts));
  figure.draw = () => drawGrowth(svg, series, lines, detail);
  return figure;
}

function scalesFor(svg, lines) {
  const [width, height] = [svg.node().clientWidth, svg.node().clientHeight];
  const points = lines.flatMap((line) => line.points);
  const x = d3.scaleLog().domain(d3.extent(points, (p) => p[0])).range([58, Math.max(60, width - 14)]);
  const [least, most] = d3.extent(points.flatMap((p) => p.slice(1)));
  const y = d3.scaleLog().domain([least / 1.3, most * 1.3]).range([height - 26, 8]);
  return {x, y, width, height};
}

function drawAxes(svg, series, {x, y, width, height}) {
  const xs = [...new Set(series.lines.flatMap((line) => line.points.map((p) => p[0])))].sort((a, b) => a - b);
  const step = Math.ceil(xs.length * 52 / Math.max(52, width - 72));
  svg.append("g").attr("transform", "translate(0," + (height - 26) + ")")
    .call(d3.axisBottom(x).tickValues(xs.filter((_, i) => i % step === 0)).tickFormat(short));
  const [low, high] = y.domain();
  let ticks = d3.range(-12, 16).flatMap((power) => [1, 2, 5].map((m) => m * 10 ** power)).filter((v) => v >= low && v <= high);
  if (ticks.length > 6) ticks = ticks.filter((v) => Math.abs(Math.log10(v) % 1) < 1e-9);
  svg.append("g").attr("transform", "translate(54,0)")
    .call(d3.axisLeft(y).tickValues(ticks).tickFormat((v) => amount(v, series.unit)));
}

function drawGrowth(svg, series, lines, detail) {
  const focused = svg.node().contains(document.activeElement) ? [...svg.node().querySelectorAll(".point")].indexOf(document.activeElement) : -1;
  svg.selectAll("*").remove();
  const scales = scalesFor(svg, lines);
  const {x, y} = scales;
  drawAxes(svg, series, scales);
  const points = [];
  for (const line of lines) {
    const colour = lineColour(line);
    svg.append("path").attr("class", "line").style("stroke", colour)
      .attr("d", d3.line().x((p) => x(p[0])).y((p) => y(p[1]))(line.points));
    if (line.each !== undefined && line.is_graph) {
      const [low, high] = y.domain();
      const at = d3.range(0, 41).map((i) => x.invert(x.range()[0] + (x.range()[1] - x.range()[0]) * i / 40))
        .map((value) => [value, line.fixed + line.each * value]).filter((p) => p[1] >= low && p[1] <= high);
      svg.append("path").attr("class", "fit").style("stroke", colour).attr("d", d3.line().x((p) => x(p[0])).y((p) => y(p[1]))(at));
    }
    for (const point of line.points) {
      const [at, value, least, most] = point;
      if (least !== undefined)
        svg.append("line").attr("class", "whisker").style("stroke", colour).attr("x1", x(at)).attr("x2", x(at))
          .attr("y1", y(least)).attr("y2", y(most));
      const text = lineName(line) + ", " + count(at) + " " + series.axis + ": " + amount(value, series.unit) +
        (least === undefined ? "" : " (" + amount(least, series.unit) + " to " + amount(most, series.unit) + ")") + ", " +
        number(value / at) + " " + series.unit + " each";
      const mark = svg.append("path").attr("class", "point").attr("d", line.is_graph ? shapeOf(line.result) : d3.symbol().type(d3.symbolCross).size(50)())
        .attr("transform", "translate(" + x(at) + "," + y(value) + ")").style("fill", colour)
        .attr("role", "img").attr("aria-label", text).node();
      mark.addEventListener("focus", () => { detail.textContent = text + "."; });
      mark.addEventListener("click", () => mark.focus());
      points.push(mark);
    }
  }
  rove(points);
  if (focused >= 0) points[focused].focus();
}

function drawAll() {
  drawRatios();
  document.querySelectorAll("#plots figure").forEach((figure) => figure.draw());
}

showResults();
const names = [...new Set(cases.map((c) => c.workload))];
$("workloads").append(make("option", {value: "", textContent: "all"}), make("option", {value: "W", textContent: "W only"}),
  ...names.map((name) => make("option", {value: name, textContent: name})));
$("workloads").onchange = showRatios;
showRatios();
if (growth.length > 0) $("plots").append(...growth.map(growthFigure));
else $("plots").append(make("p", {textContent: "No series was measured: bench/run --growth adds them."}));
drawAll();
new ResizeObserver(drawAll).observe(document.querySelector("main"));
