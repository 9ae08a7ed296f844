const nodeName = (node) => node.name + (node.index > 0 ? "[" + node.index + "]" : "");

let current = 0;      // graph
let chosenNode = -1;  // of that graph
const graph = () => data.graphs[current];

// Overview and findings.

function showOverview() {
  const g = graph();
  const rows = [["Runs", count(g.runs)], ["Continuations", count(g.continuations)], ["Levels", count(g.levels - 1)],
    ["Levels of all sweeps", count(data.steps.graph.filter((s) => s === current).length)], ["Dispatches", count(g.steps)],
    ["Barriers", count(g.barriers)], ["Nodes", count(g.nodes.length)],
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

// The drawing: drawing.js places everything, colours say how much of the whole a node has.

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
  $("measured").textContent = $("measure").value;
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

// What a box or a line says, where the pointer is.
function boxText(g, {node: n, kind, members}) {
  if (kind === "api") return "API: payloads that the application dispatched";
  const nodes = g.nodes.filter((_, other) => g.boxes[other] === n);
  const all = (value) => nodes.reduce((sum, node) => sum + (value(node) ?? 0), 0);
  const text = [members > 1 ? nodes[0].name + ", " + count(members) + " nodes" : nodeName(nodes[0]),
    nodes[0].launch + ", workgroups of " + count(nodes[0].invocations)];
  if (nodes[0].recursions > 0) text.push("recursion " + count(nodes[0].recursions));
  if (nodes.every((node) => !node.counted)) return [...text, "runs inside its senders, not counted"].join("\n");
  const [used, held] = [all((node) => node.lanes_used), all((node) => node.lanes_held)];
  text.push(count(all((node) => node.records)) + " records, " + count(all((node) => node.workgroups)) + " workgroups");
  if (held > 0) text.push("lanes " + percent(share(used, held)));
  text.push("read " + bytes(all((node) => node.bytes_read)));
  if (nodes.every((node) => node.ns !== null)) text.push(time(all((node) => node.ns)));
  return text.join("\n");
}

const lineText = ({from, to, payloads, exact}) => (from.kind === "api" ? "API" : from.name) + " to " + to.name + ": " +
  (exact ? "" : "up to ") + count(payloads) + " payloads";

// Shows what `textOf` says of the place of the pointer; an empty text hides it.
function speakOn(element, textOf) {
  const hint = $("hint");
  element.addEventListener("pointermove", (event) => {
    const text = event.pointerType === "mouse" ? textOf(event) : "";
    hint.hidden = text === "";
    if (hint.hidden) return;
    hint.textContent = text;
    const [width, height] = [hint.offsetWidth, hint.offsetHeight];
    hint.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
    hint.style.top = (event.clientY + 18 + height < innerHeight ? event.clientY + 18 : event.clientY - height - 10) + "px";
  });
  element.addEventListener("pointerleave", () => { hint.hidden = true; });
}

function prepareDrawing(index) {
  const g = data.graphs[index];
  d3.selectAll("#drawing" + index + " .node").each(function (box) { speakOn(this, () => boxText(g, box)); });
  d3.selectAll("#drawing" + index + " .edge").each(function (line) { speakOn(this, () => lineText(line)); });
  const svg = $("drawing" + index).querySelector("svg");
  // As large as it is wanted to be read, but no wider than there is room if that is nearly so.
  svg.style.maxWidth = svg.viewBox.baseVal.width < 1200 ? "100%" : "none";
  svg.style.height = "auto";
  rove([...new Set(g.boxes)].map((n) => {
    const box = $("g" + index + "n" + n);
    const members = g.boxes.filter((other) => other === n).length;
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", g.nodes[n].name + ", " + members + (members > 1 ? " nodes" : " node"));
    box.addEventListener("click", () => choose(n, true));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(n, true);
    });
    return box;
  }));
}

// The first time that a graph is shown; one of many nodes takes a while.
function showDrawing() {
  const index = current;
  document.querySelectorAll(".drawing").forEach((drawing) => { drawing.hidden = drawing.id !== "drawing" + index; });
  if (!$("drawing" + index)) {
    const drawing = make("div", {id: "drawing" + index, className: "drawing"});
    drawing.dataset.placed = "";
    $("drawings").append(drawing);
    drawFlow(drawing, data.graphs[index], "g" + index + "n", () => {
      drawing.dataset.placed = "true";
      prepareDrawing(index);
      if (index !== current) return;
      $("placing").hidden = true;
      $("drawings").scrollLeft = ($("drawings").scrollWidth - $("drawings").clientWidth) / 2;
      paint();
      if (chosenNode >= 0) $("g" + index + "n" + graph().boxes[chosenNode])?.classList.add("chosen");
    });
  }
  $("placing").hidden = $("drawing" + index).dataset.placed === "true";
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
    const row = make("tr", {onclick: () => choose(n, false)}, ...columns.map((column, c) =>
      make("td", {}, c === 0 ? make("button", {type: "button", textContent: column[2](node)})
        : c > 1 && !node.counted ? "-" : column[2](node))));
    row.dataset.node = n;
    row.classList.toggle("chosen", n === chosenNode);
    return row;
  }));
  rove([...$("nodes").tBodies[0].querySelectorAll("button")]);
}

function choose(n, scroll) {
  const byRow = $("nodes").contains(document.activeElement);
  chosenNode = n;
  document.querySelectorAll(".drawing .node.chosen").forEach((box) => box.classList.remove("chosen"));
  $("g" + current + "n" + graph().boxes[n])?.classList.add("chosen");
  if (!nodeName(graph().nodes[n]).toLowerCase().includes($("find").value.toLowerCase())) $("find").value = "";
  showNodes();
  const row = document.querySelector("tr.chosen");
  if (scroll) row?.scrollIntoView({block: "center"});
  if (byRow) row?.querySelector("button").focus({preventScroll: true});
}

// The timeline. Without a clock every step counts as long. D3 scales, draws axes and zooms; bars go to a canvas, since
// there may be many.

let steps = [];    // indices into the columns of data.steps, of the current graph
let begins = [];
let ends = [];
let chosenStep = -1; // into `steps`

const kLeft = 76;
const kRight = 12;
const kLabel = 14;  // pixels from one label of a level to the next
const whole = d3.scaleLinear();  // all of the time that there is
let shown = whole;               // what is shown of it
const zoomer = d3.zoom();

// Versions of D3 before 6 have the event in a variable.
const eventOf = (event) => (event instanceof Event ? event : d3.event);

function loadSteps() {
  const all = data.steps;
  steps = all.level.map((level, s) => s).filter((s) => all.graph[s] === current);
  begins = steps.map((s, i) => (data.timed ? all.begin[s] : i));
  ends = steps.map((s, i) => (data.timed ? all.begin[s] + all.ns[s] : i + 1));
  if (data.timed) leaveOutPauses();
  const begin = begins[0] ?? 0;
  whole.domain([begin, ends.reduce((most, x) => Math.max(most, x), begin + 1)]);
  chosenStep = -1;
  $("timeline").style.height = graph().levels > 20 ? Math.min(14 * graph().levels, 360) + "px" : "";
  $("step").textContent = steps.length > 0 ? "" : "No level of this graph was recorded.";
}

// Between two runs the host has its turn, which may take much longer than they do: next to nothing of it is shown.
function leaveOutPauses() {
  const runOf = (i) => data.steps.run[steps[i]];
  const most = ends.reduce((sum, end, i) => sum + end - begins[i], 0) / graph().runs / 50;
  let moved = 0;
  let last = ends[0];
  for (let i = 0; i < steps.length; i++) {
    const pause = begins[i] - moved - last;
    if (i > 0 && runOf(i) !== runOf(i - 1) && pause > most) moved += pause - most;
    begins[i] -= moved;
    ends[i] -= moved;
    last = Math.max(last, ends[i]);
  }
}

// The indices of what is shown.
function* visible() {
  const [first, last] = shown.domain();
  for (let i = d3.bisectRight(ends, first); i < steps.length && begins[i] < last; i++) yield i;
}

function sized(canvas) {
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

function drawTimeline() {
  const [to, , height] = sized($("timeline"));
  const levels = Math.max(1, graph().levels);
  const row = d3.scaleLinear([0, levels], [0, height]);
  const rowHeight = row(1) - row(0);
  const lanes = d3.scaleLinear([0, 1], [css("--lanes-bad"), css("--lanes-good")]);
  to.fillStyle = css("--dim");
  let last = -kLabel;
  for (let level = 0; level < levels; level++) {
    const y = Math.max(12, row(level) + Math.min(rowHeight / 2, 8) + 4);
    if (y < last + kLabel) continue;
    to.fillText(level === 0 ? "API" : "level " + level, 4, y);
    last = y;
  }
  const all = data.steps;
  for (const i of visible()) {
    const s = steps[i];
    const x = Math.max(kLeft, shown(begins[i]));
    const w = Math.max(1, shown(ends[i]) - x - (i + 1 < steps.length ? 0.3 : 0));
    to.fillStyle = all.workgroups[s] === 0 ? css("--line") : lanes(share(all.lanes_used[s], all.lanes_held[s]));
    to.fillRect(x, row(all.level[s]) + 1, w, Math.max(1, rowHeight - 1));
    if (i !== chosenStep) continue;
    to.strokeStyle = css("--accent");
    to.lineWidth = 2;
    to.strokeRect(x - 1, row(all.level[s]), w + 2, Math.max(3, rowHeight));
  }
}

// Memory as an area, and the axes of both.
function drawMemory() {
  const height = $("memory").clientHeight;
  const memory = d3.scaleLinear([0, Math.max(1, graph().memory_bytes)], [height - 22, 10]);
  const places = [...visible()];
  // Nothing is in use between two sweeps.
  const corners = places.flatMap((i) => [[begins[i], i], [ends[i], i],
    ...(i + 1 < steps.length && begins[i + 1] > ends[i] ? [[ends[i], -1], [begins[i + 1], -1]] : [])]);
  const area = d3.area().x(([t]) => Math.max(kLeft, shown(t))).y0(memory(0))
    .y1(([, i]) => memory(i < 0 ? 0 : data.steps.memory_bytes[steps[i]]));
  const svg = d3.select("#memory");
  svg.select(".area").attr("d", area(corners));
  svg.select(".bytes").attr("transform", "translate(" + kLeft + ",0)")
    .call(d3.axisLeft(memory).tickValues([0, memory.domain()[1]]).tickFormat(bytes));
  svg.select(".time").attr("transform", "translate(0," + (height - 22) + ")")
    .call(d3.axisBottom(shown).ticks(Math.max(2, $("memory").clientWidth / 110))
      .tickFormat((t) => (data.timed ? time(t) : count(t))));
  // Labels at the ends stay inside.
  const width = $("memory").clientWidth;
  svg.selectAll(".time .tick").each(function (t) {
    const text = this.querySelector("text");
    const [x, half] = [shown(t), text.getComputedTextLength() / 2];
    d3.select(text).attr("text-anchor", x + half > width ? "end" : "middle");
  });
}

function drawTimes() {
  if (steps.length === 0) return;
  const canvas = $("timeline");
  whole.range([kLeft, Math.max(kLeft + 1, canvas.clientWidth - kRight)]);
  shown = d3.zoomTransform(canvas).rescaleX(whole);
  drawTimeline();
  drawMemory();
}

function stepText(i) {
  const [all, s] = [data.steps, steps[i]];
  const busiest = all.busiest[s] === null ? "" : ", most of them of " + nodeName(graph().nodes[all.busiest[s]]);
  return "Bar " + count(i + 1) + " of " + count(steps.length) + ": run " + count(all.run[s]) + " of " +
    count(graph().runs) + (all.sweep[s] > 0 ? ", continuation " + count(all.sweep[s]) : "") + ", " + (all.level[s] === 0 ? "payloads of the API" : "level " + all.level[s]) +
    (data.timed ? ", " + time(all.ns[s]) : "") + "; " + count(all.records[s]) + " records, " +
    count(all.workgroups[s]) + " workgroups of " + all.nodes[s] + (all.nodes[s] === 1 ? " node" : " nodes") + busiest +
    "; lanes " + (all.lanes_held[s] > 0 ? percent(share(all.lanes_used[s], all.lanes_held[s])) : "-") +
    "; payload memory " + bytes(all.memory_bytes[s]) + ".";
}

function showStep(i) {
  if (steps.length === 0) return;
  chosenStep = Math.max(0, Math.min(steps.length - 1, i));
  $("step").textContent = stepText(chosenStep);
  const [begin, end] = [begins[chosenStep], ends[chosenStep]];
  const [first, last] = shown.domain();
  if (begin < first || end > last) d3.select("#timeline").call(zoomer.translateTo, whole((begin + end) / 2), 0);
  else drawTimes();
}

const zoomBy = (factor) => d3.select("#timeline").call(zoomer.scaleBy, factor);

function stepAt(event) {
  const row = Math.floor(event.offsetY / ($("timeline").clientHeight / Math.max(1, graph().levels)));
  const [from, to] = [-4, 4].map((slack) => shown.invert(event.offsetX + slack));
  let best = -1;
  for (let i = d3.bisectRight(ends, from); i < steps.length && begins[i] <= to; i++)
    if (best < 0 || data.steps.level[steps[i]] === row) best = i;
  return best;
}

function prepareTimeline() {
  const canvas = $("timeline");
  const keys = {
    ArrowRight: () => showStep(chosenStep + 1), ArrowLeft: () => showStep(Math.max(0, chosenStep - 1)),
    Home: () => showStep(0), End: () => showStep(steps.length - 1),
    "+": () => zoomBy(2), "=": () => zoomBy(2), "-": () => zoomBy(0.5),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  canvas.addEventListener("click", (event) => {
    const found = stepAt(event);
    if (found >= 0) showStep(found);
  });
  speakOn(canvas, (event) => {
    const found = stepAt(event);
    return found >= 0 ? stepText(found) : "";
  });
  // The wheel alone scrolls the page.
  zoomer.filter((event) => (eventOf(event).type === "wheel" ? eventOf(event).ctrlKey : !eventOf(event).button))
    .scaleExtent([1, 1e6]).clickDistance(4).on("zoom", drawTimes);
  // Touch: sideways here, up and down the page.
  d3.select(canvas).call(zoomer).on("dblclick.zoom", null).style("touch-action", "pan-y");
  $("zoom-in").onclick = () => zoomBy(2);
  $("zoom-out").onclick = () => zoomBy(0.5);
  $("zoom-all").onclick = resetZoom;
}

function resetZoom() {
  d3.select("#timeline").call(zoomer.transform, d3.zoomIdentity);
}

// A driver compiles in the first run, beside which the others would hardly be seen.
function showLaterRuns() {
  $("slow-start").hidden = !graph().slow_start;
  const first = steps.findIndex((s) => data.steps.run[s] > 1);
  if (!graph().slow_start || first < 0) return;
  const [left, right] = whole.range();
  const [begin, end] = [whole(begins[first]), whole(whole.domain()[1])];
  const factor = (right - left) / (end - begin);
  d3.select("#timeline").call(zoomer.transform, d3.zoomIdentity.translate(left - factor * begin, 0).scale(factor));
}

function resizeTimes() {
  const canvas = $("timeline");
  const extent = [[kLeft, 0], [Math.max(kLeft + 1, canvas.clientWidth - kRight), canvas.clientHeight]];
  zoomer.extent(extent).translateExtent(extent);
  drawTimes();
}

function showGraph() {
  chosenNode = -1;
  showDrawing();
  showOverview();
  showFindings();
  paint();
  showNodes();
  loadSteps();
  resetZoom();
  showLaterRuns();
}

// What is not of graphs: a table of `columns`, each a title and the text of a row, and what stands out.
function fillSection(id, columns, rows, isOwn) {
  const section = $(id), table = section.querySelector("table");
  section.hidden = rows.length === 0;
  table.tHead.replaceChildren(make("tr", {}, ...columns.map(([name]) => make("th", {scope: "col", textContent: name}))));
  table.tBodies[0].replaceChildren(...rows.map((row) =>
    make("tr", {}, ...columns.map(([, text]) => make("td", {textContent: text(row)})))));
  section.querySelector("ul").replaceChildren(...data.findings.filter(isOwn).map((finding) =>
    make("li", {className: finding.kind}, finding.text, make("small", {textContent: finding.advice}))));
}

// Mesh shaders.

function showMeshes() {
  const ran = data.meshes.filter((m) => (m.workgroups ?? 0) + (m.task_workgroups ?? 0) > 0);
  const each = (part, whole) => whole > 0 ? (part / whole).toFixed(2) : "-";
  const share = (part, whole) => whole > 0 ? Math.round(100 * part / whole) + " %" : "-";
  const columns = [["Mesh shader", (m) => m.name],
    ["Task workgroups", (m) => m.task ? count(m.task_workgroups) : "-"],
    ["Emitted by each", (m) => m.task ? each(m.emitted_workgroups, m.task_workgroups) : "-"],
    ["Workgroups", (m) => m.mesh ? count(m.workgroups) : "-"],
    ["Empty", (m) => share(m.empty_workgroups, m.workgroups)],
    ["Vertices", (m) => m.mesh ? each(m.vertices, m.workgroups) + " of " + count(m.max_vertices) : "-"],
    ["Primitives", (m) => m.mesh ? each(m.primitives, m.workgroups) + " of " + count(m.max_primitives) : "-"],
    ["Culled", (m) => share(m.culled_primitives, m.primitives)],
    ["Vertices a corner", (m) => m.mesh ? each(m.vertices, m.primitives * m.corners) : "-"]];
  fillSection("meshes", columns, ran, (finding) => finding.mesh !== null);
}

// Generated commands: a row for each pipeline that sequences ran with, and for what ran with none.
function showCalls() {
  const rows = data.generated_calls.flatMap((c) => {
    const parts = c.pipelines === null ? [{name: "unknown: " + c.unknown, sequences: null}] : [...c.pipelines];
    if (c.left_out > 0) parts.push({name: "none, left out", sequences: c.left_out});
    return (parts.length > 0 ? parts : [{name: "-", sequences: 0}]).map((part) => ({call: c, part}));
  });
  const columns = [["Call", ({call}) => call.name],
    ["Tokens", ({call}) => call.tokens.join(", ")],
    ["What runs", ({call}) => call.way],
    ["Executions", ({call}) => count(call.executions)],
    ["At most, each", ({call}) => count(call.max_sequences)],
    ["Pipeline", ({part}) => part.name],
    ["Sequences", ({part}) => part.sequences === null ? "-" : count(part.sequences)]];
  fillSection("calls", columns, rows, (finding) => finding.call !== null);
}

$("device").textContent = data.device.name + ", subgroups of " + data.device.subgroup_size;
const details = [data.device.settings, data.device.traits].filter((text) => text);
$("device-details").hidden = details.length === 0;
document.querySelector("#device-details p").textContent = details.join("; ");
showMeshes();
showCalls();
if (data.graphs.length === 0) {
  document.querySelectorAll(".of-graph").forEach((section) => { section.hidden = true; });
  if ($("meshes").hidden && $("calls").hidden) document.querySelector("main").prepend(make("p", {textContent: "Nothing ran in this trace."}));
} else {
  $("graph").append(...data.graphs.map((g, i) => make("option", {value: i, textContent: g.name})));
  $("chooser").hidden = data.graphs.length < 2;
  $("graph").onchange = () => { current = Number($("graph").value); showGraph(); };
  const known = Object.keys(measures).filter((name) => name !== "time" ||
    data.graphs.some((g) => g.nodes.some((node) => node.ns !== null && node.workgroups > 0)));
  $("measure").append(...known.map((name) => make("option", {value: name, textContent: name})));
  $("measure").value = known.includes("time") ? "time" : "lanes held";
  $("measure").onchange = paint;
  $("fit").onclick = () => {
    const isFit = $("drawings").classList.toggle("fit");
    $("fit").setAttribute("aria-pressed", isFit);
  };
  $("find").oninput = showNodes;
  prepareTimeline();
  showGraph();
  new ResizeObserver(resizeTimes).observe($("timeline"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimes);
}
