// The drawing of a graph with its flow: dagre places boxes and lines, D3 draws them. Colours are page.js' to choose.

// More boxes are placed by a thread of its own, since that takes seconds; the rest of the page goes on.
const kManyBoxes = 100;
// Levels that the lines of a drawing may span in all. Of more, each box keeps its shortest line; the longest are drawn
// straight.
const kMostSpans = 4000;
const kWidestLine = 6;
const kLongestName = 40;
// The shapes are those of `millrace graph -o graph.svg`: boxes are static nodes, hexagons dynamic ones, ellipses those that
// take payloads together or one by one. A second line around it is an array.
const kTip = 14;   // how far a hexagon's sides stand out
const kOuter = 4;  // between the two lines
const isEllipse = (kind) => kind === "coalescing" || kind === "packed";

// Also the code of the thread, so it refers to nothing but its argument and dagre. `boxes`: [width, height] each;
// `lines`: [from, to] each. A box is as many rows down as the longest way to it has lines: dagre does that for lines in
// the other direction, drawn upside down.
function place(job) {
  const layout = new dagre.graphlib.Graph({multigraph: true});
  layout.setGraph({rankdir: "BT", ranker: "longest-path", nodesep: 16, ranksep: 34, edgesep: 8, marginx: 8, marginy: 8});
  job.boxes.forEach(([width, height], i) => layout.setNode(String(i), {width, height}));
  job.lines.forEach(([from, to], i) => layout.setEdge(String(to), String(from), {}, String(i)));
  dagre.layout(layout);
  const {width, height} = layout.graph();
  return {
    width, height,
    boxes: job.boxes.map((_, i) => [layout.node(String(i)).x, layout.node(String(i)).y]),
    lines: job.lines.map(([from, to], i) =>
      layout.edge(String(to), String(from), String(i)).points.map(({x, y}) => [x, y]).reverse()),
  };
}

function placeElsewhere(job, done) {
  const code = document.getElementById("code-of-dagre").textContent + ";" + place +
    ";onmessage = (event) => postMessage(place(event.data));";
  const here = () => setTimeout(() => done(place(job)), 0);
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([code], {type: "text/javascript"})));
    worker.onmessage = (event) => { worker.terminate(); done(event.data); };
    worker.onerror = (event) => { event.preventDefault(); worker.terminate(); here(); };
    worker.postMessage(job);
  } catch {
    here();  // a browser that gives pages from files no threads
  }
}

const textWidth = (() => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = "14px sans-serif";
  return (text) => context.measureText(text).width;
})();

function shortCount(n) {
  let unit = 0;
  for (; n >= 1000; n /= 1000) unit++;
  return (unit > 0 && n < 100 ? n.toFixed(1) : n.toFixed(0)) + ["", " k", " M", " G", " T", " P"][unit];
}

// The nodes of an array share a box, that of the first; the API has one if it sends anything.
function boxesOf(g) {
  const boxes = new Map();
  g.nodes.forEach((node, n) => {
    const box = boxes.get(g.boxes[n]) ??
      {node: g.boxes[n], members: 0, records: 0, depth: Infinity, kind: node.launch, name: node.name, index: node.index};
    box.members++;
    box.records += node.records;
    box.depth = Math.min(box.depth, g.depths[n]);
    boxes.set(g.boxes[n], box);
  });
  if (g.flows.some((flow) => flow.from === null)) boxes.set(null, {node: null, depth: 0, kind: "api"});
  for (const box of boxes.values()) {
    const name = box.kind === "api" ? "API"
      : box.members > 1 ? box.name + ", " + box.members + " nodes"
      : box.name + (box.index > 0 ? "[" + box.index + "]" : "");
    box.text = [name.length > kLongestName ? name.slice(0, kLongestName - 1) + "\u2026" : name];
    if (box.kind !== "api") box.text.push(shortCount(box.records));
    const isRound = isEllipse(box.kind);  // around its text
    const tips = box.kind === "dynamic" ? 2 * kTip : 0;
    const lines = box.members > 1 ? 2 * kOuter : 0;
    box.width = Math.ceil((Math.max(...box.text.map(textWidth)) + 22) * (isRound ? 1.3 : 1)) + tips + lines;
    box.height = Math.ceil((18 * box.text.length + 10) * (isRound ? 1.3 : 1)) + lines;
  }
  return boxes;
}

function linesOf(g, boxes) {
  const lines = new Map();
  for (const flow of g.flows) {
    const from = boxes.get(flow.from === null ? null : g.boxes[flow.from]);
    const to = boxes.get(g.boxes[flow.to]);
    const key = from.node + " " + to.node;
    const line = lines.get(key) ?? {from, to, payloads: 0, exact: true, span: Math.max(1, Math.abs(to.depth - from.depth))};
    line.payloads += flow.payloads;
    line.exact &&= flow.exact;
    lines.set(key, line);
  }
  return [...lines.values()];
}

// Those that dagre gets.
function linesToPlace(lines) {
  const sorted = [...lines].sort((a, b) => a.span - b.span);
  const reached = new Set();
  const needed = sorted.filter((line) => !reached.has(line.to) && reached.add(line.to));
  let spans = needed.reduce((sum, line) => sum + line.span, 0);
  const kept = new Set(needed);
  for (const line of sorted) {
    if (kept.has(line)) continue;
    if ((spans += line.span) > kMostSpans) break;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}

// Where a line from the middle of a box towards a point leaves it.
function rim(box, [x, y]) {
  const [dx, dy] = [x - box.x, y - box.y];
  const [rx, ry] = [box.width / 2, box.height / 2];
  const [across, down] = [Math.abs(dx) / rx, Math.abs(dy) / ry];
  const far = isEllipse(box.kind) ? Math.hypot(across, down)
    : Math.max(across, down, box.kind === "dynamic" ? across + down * kTip / rx : 0);
  return far > 1 ? [box.x + dx / far, box.y + dy / far] : [x, y];
}

// From rim to rim, with room for the arrow.
function pathOf(line, width) {
  let points = line.points ?? [[line.from.x, line.from.y], [line.to.x, line.to.y]];
  if (line.from !== line.to) {
    const inner = line.points ? points.slice(1, -1) : [];
    const [first, last] = [inner[0] ?? [line.to.x, line.to.y], inner[inner.length - 1] ?? [line.from.x, line.from.y]];
    points = [rim(line.from, first), ...inner, rim(line.to, last)];
  }
  const [tip, before] = [points[points.length - 1], points[points.length - 2]];
  const length = Math.hypot(tip[0] - before[0], tip[1] - before[1]) || 1;
  const [ux, uy] = [(tip[0] - before[0]) / length, (tip[1] - before[1]) / length];
  const size = 6 + width;
  const end = [tip[0] - ux * size, tip[1] - uy * size];
  const corner = (side) => [end[0] - side * uy * size / 2, end[1] + side * ux * size / 2];
  return {path: d3.line().curve(d3.curveBasis)([...points.slice(0, -1), end]), arrow: [tip, corner(1), corner(-1)]};
}

function addLines(svg, lines, prefix) {
  const most = Math.log1p(Math.max(1, ...lines.map((line) => line.payloads)));
  lines.forEach((line, i) => {
    const width = 1 + (kWidestLine - 1) * Math.log1p(line.payloads) / most;
    const {path, arrow} = pathOf(line, width);
    const group = svg.append("g").attr("class", "edge").attr("id", prefix + "e" + i);
    group.datum(line);
    group.append("path").attr("d", path).attr("fill", "none").attr("stroke-width", width.toFixed(2))
      .attr("stroke-dasharray", line.exact ? null : "5 3");
    group.append("polygon").attr("points", arrow.map(([x, y]) => x.toFixed(1) + "," + y.toFixed(1)).join(" "));
  });
}

function addShape(group, kind, x, y) {
  if (isEllipse(kind)) return group.append("ellipse").attr("rx", x).attr("ry", y);
  const tip = kind === "dynamic" ? kTip : 0;
  const corners = [[-x, 0], [tip - x, -y], [x - tip, -y], [x, 0], [x - tip, y], [tip - x, y]];
  return group.append("polygon").attr("points", corners.map((corner) => corner.join(",")).join(" "));
}

function addShapes(group, {kind, width, height, members}) {
  if (kind === "api") return;
  const inside = members > 1 ? kOuter : 0;
  addShape(group, kind, width / 2 - inside, height / 2 - inside);
  if (inside > 0) addShape(group, kind, width / 2, height / 2).attr("class", "outer");
}

function addBoxes(svg, boxes, prefix) {
  for (const box of boxes) {
    const group = svg.append("g").attr("class", "node").attr("id", prefix + (box.node ?? "api")).datum(box)
      .attr("transform", "translate(" + box.x + "," + box.y + ")");
    addShapes(group, box);
    box.text.forEach((text, row) => group.append("text").attr("text-anchor", "middle")
      .attr("y", 5 + 18 * (row - (box.text.length - 1) / 2)).text(text));
  }
}

// Draws a graph into an empty element. Boxes are groups of class "node" with the id `prefix` and the number of their
// first node; `done` is called when they are there.
function drawFlow(element, g, prefix, done) {
  const boxes = [...boxesOf(g).values()];
  const lines = linesOf(g, new Map(boxes.map((box) => [box.node, box])));
  const placed = linesToPlace(lines);
  const number = new Map(boxes.map((box, i) => [box, i]));
  const job = {boxes: boxes.map((box) => [box.width, box.height]),
    lines: placed.map((line) => [number.get(line.from), number.get(line.to)])};
  const draw = (result) => {
    boxes.forEach((box, i) => { [box.x, box.y] = result.boxes[i]; });
    placed.forEach((line, i) => { line.points = result.lines[i]; });
    const [width, height] = [Math.ceil(result.width), Math.ceil(result.height)];
    const svg = d3.select(element).append("svg").attr("width", width).attr("height", height)
      .attr("viewBox", "0 0 " + width + " " + height);
    addLines(svg, lines, prefix);
    addBoxes(svg, boxes, prefix);
    done();
  };
  if (boxes.length > kManyBoxes) placeElsewhere(job, draw);
  else draw(place(job));
}
