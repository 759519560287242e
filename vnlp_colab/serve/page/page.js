// The page: sends the text, shows the answer. Whatever comes from a text becomes a text node, never markup.
import { ENTITIES, EXAMPLES, FEATURES, MORPH, POS, RELATIONS, WORDS } from "./words.js";

const TASKS = { morphology: ["lemma", "morph", "feats"], pos: ["pos"], ner: ["ner"], dep: ["dep"], sentiment: ["sentiment"] };
const STYLES = ["style", "entity_style"]; // fields of a request; the offer has the names of each in the plural
const SHOWN = 100; // sentences

const at = (id) => document.getElementById(id);
const state = { language: "tr", offer: null, limits: {}, answer: null, milliseconds: 0, request: null, problem: null };

const words = () => WORDS[state.language];
const spelt = (names, name) => names[name]?.[state.language === "tr" ? 0 : 1] ?? "";

function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...inside.filter((part) => part !== null && part !== undefined));
  return element;
}

// ---- Language

function setLanguage(language) {
  state.language = language in WORDS ? language : "tr";
  document.documentElement.lang = state.language;
  keep("language", state.language);
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = words()[element.dataset.word];
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === state.language));
  }
  document.title = `vnlp-colab: ${words().tagline}`;
  showTasks();
  showProblem();
  if (state.answer) showAnswer();
}

function keep(name, value) {
  try { localStorage.setItem(`vnlp-colab-${name}`, value); } catch { /* a browser that keeps nothing */ }
}

function kept(name) {
  try { return localStorage.getItem(`vnlp-colab-${name}`); } catch { return null; }
}

// ---- What may be asked

async function loadOffer() {
  try {
    const reply = await fetch("v1/models", { headers: authorization() });
    if (reply.status === 401) at("token-choice").hidden = false;
    if (!reply.ok) return;
    state.offer = await reply.json();
  } catch { return; }
  state.limits = state.offer.limits;
  showTasks();
  const about = state.offer.models.map((model) => model.model);
  at("about").textContent = `vnlp-colab ${state.offer.version} · ${[...new Set(about)].join(", ")}`;
  for (const style of STYLES) at(`${style}-choice`).hidden = namesOf(style).length === 0;
}

function showTasks() {
  const offered = state.offer ? Object.keys(TASKS).filter((task) => columnsOf(task).length) : Object.keys(TASKS);
  const off = new Set([...at("tasks").querySelectorAll("input:not(:checked)")].map((box) => box.value));
  at("tasks").replaceChildren(...offered.map((task) => {
    const box = make("input", { type: "checkbox", value: task, name: "task" });
    box.checked = !off.has(task);
    return make("label", {}, box, words().task[task]);
  }));
  STYLES.forEach(showStyle);
}

function showStyle(style) {
  const chosen = at(style).value, names = namesOf(style), server = state.offer?.[style];
  const usual = make("option", { value: "" }, server ? `${words().styleNone} (${server})` : words().styleNone);
  at(style).replaceChildren(usual, ...names.map((name) => make("option", { value: name }, name)));
  at(style).value = names.includes(chosen) ? chosen : "";
}

function namesOf(style) {
  return state.offer?.[`${style}s`] ?? [];
}

function columnsOf(task) {
  return TASKS[task].filter((column) => !state.offer || state.offer.columns.includes(column));
}

function authorization() {
  const token = at("token").value.trim();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

// ---- Asking

async function analyze() {
  const text = at("text").value;
  const tasks = [...at("tasks").querySelectorAll("input:checked")].map((box) => box.value);
  if (!text.trim()) return tell({ code: "empty" });
  if (!tasks.length) return tell({ code: "nothing" });
  state.request?.abort();
  const request = state.request = new AbortController();
  tell(null);
  busy(true);
  try {
    if (!state.offer) await loadOffer();
    const body = { text, include: ["svg", "conllu"] };
    if (state.offer) body.columns = tasks.flatMap(columnsOf);
    for (const style of STYLES) if (at(style).value) body[style] = at(style).value;
    const started = performance.now();
    const reply = await fetch("v1/analyze", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...authorization() },
      body: JSON.stringify(body),
      signal: request.signal,
    });
    if (!reply.ok) throw await problemOf(reply);
    state.answer = await reply.json();
    state.milliseconds = Math.round(performance.now() - started);
    history.replaceState(null, "", link(text));
    showAnswer();
  } catch (error) {
    if (request.signal.aborted) {
      if (state.request === request) at("status").textContent = words().cancelled;
      return;
    }
    state.answer = null;
    at("results").hidden = true;
    tell(error.code ? error : { code: "offline" });
  } finally {
    if (state.request === request) busy(false);
  }
}

async function problemOf(reply) {
  let told = {};
  try { told = await reply.json(); } catch { /* a proxy's page, perhaps */ }
  return { code: told.error ?? "unknown", message: told.message, status: reply.status, wait: reply.headers.get("Retry-After") ?? "5" };
}

function tell(problem) {
  state.problem = problem;
  at("status").textContent = "";
  showProblem();
  if (problem?.code === "unauthorized") {
    at("token-choice").hidden = false;
    at("token").focus();
  } else if (problem?.code === "empty") {
    at("text").focus();
  }
}

function showProblem() {
  const problem = state.problem;
  at("error").hidden = !problem;
  if (!problem) return;
  const say = words().error[problem.code] ?? words().error.unknown;
  at("error").textContent = say(state.limits, problem.wait, problem.status, problem.message);
}

function busy(is) {
  if (!is) state.request = null;
  at("spinner").hidden = at("cancel").hidden = !is;
  at("results").setAttribute("aria-busy", String(is));
  if (is) at("status").textContent = words().working;
}

// The text stands behind the "#", which browsers keep to themselves: the server and its log never see it.
function link(text) {
  const parts = new URLSearchParams({ text });
  const off = [...at("tasks").querySelectorAll("input:not(:checked)")].map((box) => box.value);
  if (off.length) parts.set("without", off.join(","));
  for (const style of STYLES) if (at(style).value) parts.set(style, at(style).value);
  return `${location.origin}${location.pathname}#${parts}`;
}

function readLink() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (!parts.get("text")) return false;
  at("text").value = parts.get("text");
  const off = (parts.get("without") ?? "").split(",");
  for (const box of at("tasks").querySelectorAll("input")) box.checked = !off.includes(box.value);
  for (const style of STYLES) if (namesOf(style).includes(parts.get(style))) at(style).value = parts.get(style);
  return true;
}

// ---- Showing

function counted() {
  const sentences = state.answer.sentences;
  const tokens = sentences.reduce((sum, sentence) => sum + sentence.tokens.length, 0);
  return words().counts(sentences.length, tokens, state.milliseconds);
}

function showAnswer() {
  const { answer } = state;
  at("results").hidden = false;
  at("status").textContent = counted();
  const whole = typeof answer.sentiment === "number" ? [words().wholeText, sentiment(answer)] : [];
  at("summary").replaceChildren(...whole);
  // Places in the answer count characters, where JavaScript's strings count UTF-16 units.
  const characters = Array.from(answer.text);
  const shown = answer.sentences.slice(0, SHOWN).map((sentence, number) => showSentence(sentence, number, characters));
  const rest = answer.sentences.length - shown.length;
  at("sentences").replaceChildren(...shown, ...(rest > 0 ? [make("p", {}, words().more(rest))] : []));
}

function showSentence(sentence, number, characters) {
  const name = `sentence-${number + 1}`;
  const head = make("div", { class: "head" }, make("h3", { id: name }, `${words().sentence} ${number + 1}`));
  if (typeof sentence.sentiment === "number" && state.answer.sentences.length > 1) {
    head.append(make("span", { class: "sentiment" }, sentiment(sentence)));
  }
  return make("article", { "aria-labelledby": name }, head, marked(sentence, characters), tree(sentence, number), table(sentence));
}

// The label the model gave; without one a score in the middle is unclear. The meter's colour follows the label:
// "positive" has 0.5 at least, "negative" at most, "neutral" (negative, neutral, positive: half of neutral counts) 0.25 to 0.75.
function sentiment({ sentiment: score, sentiment_label: label }) {
  const share = new Intl.NumberFormat(state.language, { style: "percent" }).format(score);
  const given = ["positive", "neutral", "negative"].includes(label);
  const kind = given ? label : score > 0.6 ? "positive" : score < 0.4 ? "negative" : "unclear";
  const [low, high] = !given ? [0.4, 0.6] : label === "neutral" ? [0.2, 0.8] : [0.5, 0.5];
  const meter = make("meter", { min: 0, max: 1, low, high, optimum: 1, value: score, "aria-label": words().sentimentOf });
  return make("span", { class: "sentiment", title: words().sentimentOf, "data-sentiment": kind }, meter, kind === "neutral" ? words()[kind] : `${words()[kind]} (${share})`);
}

function marked(sentence, characters) {
  const paragraph = make("p", { class: "words", lang: "tr" });
  let place = sentence.start;
  for (const entity of sentence.entities ?? []) {
    paragraph.append(characters.slice(place, entity.start).join(""));
    const kind = spelt(ENTITIES, entity.type) || entity.type;
    const mark = make("mark", { title: `${entity.name}: ${kind}` });
    if (/^[A-Z]+$/.test(entity.type)) mark.classList.add(entity.type);
    mark.append(characters.slice(entity.start, entity.end).join(""), make("small", { lang: state.language }, kind));
    paragraph.append(mark);
    place = entity.end;
  }
  paragraph.append(characters.slice(place, sentence.end).join(""));
  return paragraph;
}

function tree(sentence, number) {
  const drawn = state.answer.svg?.[number];
  if (!drawn || !sentence.tokens.length) return null;
  const root = sentence.tokens.find((token) => token.head === 0);
  const alt = `${words().tree} “${root?.text ?? ""}”. ${words().treeRest}`;
  // As a picture, in which nothing runs whatever it holds.
  const picture = make("img", { alt, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}` });
  return make("div", { class: "scroll tree", tabindex: 0, role: "group", "aria-label": words().task.dep }, picture);
}

function table(sentence) {
  if (!sentence.tokens.length) return null;
  const first = sentence.tokens[0];
  const features = "feats" in first ? "feats" : "morph" in first ? "morph" : null;
  const names = ["number", "text", ..."lemma" in first ? ["lemma"] : [], ..."pos" in first ? ["pos"] : [],
    ...features ? [features] : [], ..."ner" in first ? ["ner"] : [], ..."head" in first ? ["head", "relation"] : []];
  const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, words().column[name])));
  const rows = sentence.tokens.map((token) => make("tr", {}, ...names.map((name) => cell(name, token, sentence))));
  const inside = make("table", {}, make("caption", { class: "heard" }, words().table), make("thead", {}, head), make("tbody", {}, ...rows));
  return make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": words().table }, inside);
}

function cell(name, token, sentence) {
  const value = token[name];
  if (name === "number") return make("td", { class: "number" }, String(value));
  if (name === "text") return make("th", { scope: "row", lang: "tr", title: Array.from(value).length > 24 ? value : null }, value);
  if (name === "pos") return make("td", {}, told(value, spelt(POS, value)));
  if (name === "relation") return make("td", {}, told(value, spelt(RELATIONS, value.split(":")[0])));
  if (name === "ner") return make("td", {}, value === "O" ? "–" : told(value, spelt(ENTITIES, value)));
  if (name === "head") return make("td", { lang: value ? "tr" : null }, value ? `${value} ${sentence.tokens[value - 1]?.text ?? ""}` : `0 ${words().root}`);
  if (name === "feats") return make("td", {}, value === "_" ? "–" : told(value.replaceAll("|", "\u00a0| "), featuresInWords(value), true));
  if (name === "morph") return make("td", {}, told(value, analysisInWords(value), true));
  return make("td", { lang: "tr" }, value);
}

// A value that tells more when pointed at, focused or tapped, and to a screen reader at once.
function told(value, more, long = false) {
  if (!more) return value;
  const parts = long ? value.split(/(?=[+^])/).flatMap((part) => [make("wbr"), part]) : [value];
  return make("span", { class: long ? "told features" : "told", tabindex: 0, "data-tip": more }, ...parts,
    make("span", { class: "heard" }, ` (${more.replaceAll("\n", ", ")})`));
}

function featuresInWords(features) {
  return features.split("|").map((pair) => {
    const [name, value] = pair.split("=");
    const known = FEATURES[name];
    if (!known) return pair;
    const index = state.language === "tr" ? 0 : 1;
    return `${known[0][index]}: ${value.split(",").map((one) => known[1][one]?.[index] ?? one).join(", ")}`;
  }).join("\n");
}

function analysisInWords(analysis) {
  const [root, ...tags] = analysis.split("+").filter((part) => part);
  const lines = tags.map((tag) => {
    const plain = tag.replace("^DB", "");
    const named = plain ? spelt(MORPH, plain) || plain : "";
    return tag.endsWith("^DB") ? `${named}\n→ ${words().derivation}` : named;
  });
  return [root, ...lines].filter((line) => line).join("\n");
}

// ---- Hints

function showTip(target) {
  const tip = at("tip");
  tip.textContent = target.dataset.tip;
  tip.hidden = false;
  const place = target.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(place.left, innerWidth - width - 8))}px`;
  tip.style.top = `${place.bottom + height + 12 < innerHeight ? place.bottom + 6 : Math.max(8, place.top - height - 6)}px`;
}

const hideTip = () => { at("tip").hidden = true; };

for (const kind of ["pointerover", "focusin", "click"]) {
  document.addEventListener(kind, (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target) showTip(target); else hideTip();
  });
}
document.addEventListener("focusout", hideTip);
document.addEventListener("scroll", hideTip, true);

// ---- Copying

async function copy(text) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    // Pages from plain http have no clipboard; the old way needs a field with the text.
    const field = make("textarea", { class: "heard", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    done = document.execCommand("copy");
    field.remove();
  }
  at("copied").textContent = done ? words().copied : words().notCopied;
  setTimeout(() => { at("copied").textContent = ""; }, 3000);
}

function plainAnswer() {
  const { svg: _svg, conllu: _conllu, ...plain } = state.answer;
  return JSON.stringify(plain, null, 1);
}

// ---- Start

at("form").addEventListener("submit", (event) => { event.preventDefault(); analyze(); });
at("cancel").addEventListener("click", () => { state.request?.abort(); at("analyze").focus(); });
at("copy-json").addEventListener("click", () => copy(plainAnswer()));
at("copy-conllu").addEventListener("click", () => copy(state.answer.conllu));
at("copy-link").addEventListener("click", () => copy(link(state.answer.text)));
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); analyze(); }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (!at("tip").hidden) hideTip(); else state.request?.abort();
});
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => setLanguage(button.dataset.language));
}
at("examples").replaceChildren(...EXAMPLES.map(([text, name]) => {
  const button = make("button", { type: "button", lang: "tr", title: text }, name);
  button.addEventListener("click", () => { at("text").value = text; analyze(); });
  return button;
}));
addEventListener("hashchange", () => { if (readLink()) analyze(); });

setLanguage(kept("language") ?? (navigator.language.startsWith("tr") ? "tr" : "en"));
await loadOffer();
if (readLink()) analyze();
