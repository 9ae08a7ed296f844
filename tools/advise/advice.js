const {shaders} = data;

// Of a column the title, what it shows of a row, and whether it is text.
function fillTable(table, columns, rows) {
  table.tHead.replaceChildren(make("tr", {}, ...columns.map((c) => make("th", {scope: "col", textContent: c.title}))));
  table.tBodies[0].replaceChildren(...rows.map((row) =>
    make("tr", {}, ...columns.map((c) => make("td", {textContent: c.show(row)})))));
}

const size = (shader) => shader.workgroup_size.join(" x ");
const placeText = (place) => place.file.split("/").pop() + ":" + place.line;

function describe(shader) {
  const what = shader.entry_point + ": " + shader.stage + " shader";
  return shader.stage === "mesh" ? what + " that makes " + shader.topology : what;
}

function showOverview(shader) {
  const facts = [["Workgroup", size(shader)]];
  if (shader.stage === "mesh") facts.push(["Most vertices", count(shader.max_vertices)], ["Most primitives", count(shader.max_primitives)]);
  facts.push(["Shared memory", bytes(shader.shared.reduce((sum, v) => sum + v.bytes, 0))], ["Barriers", count(shader.barriers.length)]);
  if (shader.payload) facts.push(["Payload", bytes(shader.payload.bytes)]);
  $("overview").replaceChildren(...facts.map(([name, value]) =>
    make("div", {}, make("dt", {textContent: name}), make("dd", {textContent: value}))));
}

function findingItem(finding) {
  const places = finding.places.map((place) =>
    make("li", {title: place.file}, make("b", {textContent: placeText(place)}), " ", place.text));
  return make("li", {className: finding.kind},
    make("p", {className: "text", textContent: finding.text}),
    ...(places.length > 0 ? [make("ul", {}, ...places)] : []),
    make("p", {}, make("b", {textContent: "Cost: "}), finding.cost),
    make("p", {}, make("b", {textContent: "Change: "}), finding.advice));
}

function showFindings(shader, plan) {
  const findings = shader.findings.filter((finding) => finding.gpus.includes(plan.gpu));
  $("findings").replaceChildren(...findings.map(findingItem));
  $("no-findings").hidden = findings.length > 0;
}

const barriers = {none: "as written", shrinkable: "of one wave", loop: "in a loop"};

function showWaves(shader, plan) {
  const rows = [
    {title: "Wave", show: (w) => w.wave_size},
    {title: "Invocations", show: (w) => count(w.invocations)},
    {title: "Waves", show: (w) => w.waves},
    {title: "Run the shader", show: (w) => w.shader_waves},
    {title: "Idle invocations", show: (w) => count(w.idle_invocations)},
    {title: "Rounds of export", show: (w) => (shader.stage === "mesh" ? Math.max(w.vertex_rows, w.primitive_rows) : "-")},
    {title: "Barriers", show: (w) => barriers[w.barriers]},
    {title: "Workgroups on a WGP", show: (w) => w.workgroups_per_wgp},
    {title: "Waves on a SIMD", show: (w) => w.waves_per_simd},
    {title: "Registers", show: () => "~" + plan.registers_estimate},
  ];
  fillTable($("waves"), rows, plan.waves);
}

const ldsParts = [["shared_bytes", "the shader's own"], ["info_bytes", "counts"], ["vertex_bytes", "outputs of vertices"],
  ["primitive_bytes", "outputs of primitives"], ["index_bytes", "indices"], ["cull_bytes", "cull flags"],
  ["payload_bytes", "payload"]];

function showLds(plan) {
  const lds = plan.lds;
  const parts = ldsParts.map(([key, name], i) => ({name, bytes: lds[key], colour: "var(--part-" + i + ")"}))
    .filter((part) => part.bytes > 0);
  const free = Math.max(0, 32768 - lds.used_bytes);
  $("lds-text").textContent = count(lds.used_bytes) + " bytes of a workgroup, of which the hardware reserves " +
    count(lds.allocated_bytes) + "; the bar is 32 KiB, the most. " + (lds.fits ? "" : "It does not fit. ") +
    (lds.spilled_bytes > 0 ? count(lds.spilled_bytes) + " bytes more go to memory and back." : "");
  const piece = (grow, colour) => {
    const element = make("div", {});
    element.style.flexGrow = grow;
    element.style.background = colour;
    return element;
  };
  $("lds").replaceChildren(...parts.map((part) => piece(part.bytes, part.colour)), piece(free, "transparent"));
  $("lds-parts").tBodies[0].replaceChildren(...parts.map((part) => {
    const swatch = make("span", {className: "swatch"});
    swatch.style.background = part.colour;
    return make("tr", {}, make("td", {}, swatch, part.name), make("td", {textContent: count(part.bytes) + " bytes"}));
  }));
}

const ways = {direct: "registers", staged: "local data share", attribute_ring: "attribute ring", spilled: "memory and back"};

// Indices and cull flags have no slots: they are in local data share or in registers.
function wayOf(output, plan) {
  const found = Object.keys(ways).filter((way) => plan.outputs[way].some((slot) => slot.outputs.includes(output.name)));
  const own = output.written_by_others ? "staged" : "direct";
  return (found.length > 0 ? found : [own]).map((way) => ways[way]).join(", ");
}

function showOutputs(shader, plan) {
  $("outputs-section").hidden = shader.stage !== "mesh";
  if (shader.stage !== "mesh") return;
  fillTable($("outputs"), [
    {title: "Output", show: (o) => o.name},
    {title: "Of each", show: (o) => o.per},
    {title: "Words", show: (o) => o.words},
    {title: "Goes through", show: (o) => wayOf(o, plan)},
    {title: "Written for others at", show: (o) => (o.places.length > 0 ? o.places.map(placeText).join(", ") : o.written_by_others ? "yes" : "-")},
  ], shader.outputs);
}

function show() {
  const shader = shaders[$("shader").value];
  const plan = shader.gpus.find((p) => p.gpu === $("gpu").value);
  $("shader-text").textContent = describe(shader) + "; on " + plan.product + ".";
  showOverview(shader);
  showFindings(shader, plan);
  showWaves(shader, plan);
  showLds(plan);
  showOutputs(shader, plan);
}

$("shader").replaceChildren(...shaders.map((s, i) => make("option", {value: i, textContent: s.entry_point + " (" + s.stage + ")"})));
$("shader-chooser").hidden = shaders.length < 2;
$("gpu").replaceChildren(...shaders[0].gpus.map((p) => make("option", {value: p.gpu, textContent: p.gpu + ", " + p.product})));
$("shader").onchange = $("gpu").onchange = show;
show();
