"use strict";
// Shows the list a page at a time. All text is set as text, never as HTML.
(() => {
  const PER_PAGE = 25;
  const PER_GROUP = 20; // sentences that open with a group
  const AROUND = 100; // tokens shown on each side of a suspect
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);

  const suspects = [];
  data.forms.forEach(([form, places], rank) => {
    for (const [doc, sent, start, end, weight, score, label, confidence, gold] of places)
      suspects.push({
        form, rank, doc, sent, start, end, weight, score, label, confidence, gold,
      });
  });
  let page = 0;
  let groups = [];

  function make(tag, kind, ...children) {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    node.append(...children);
    return node;
  }

  function depth(weight) {
    return `${Math.round(100 * (1 - Math.min(1, weight)))}%`;
  }

  // Entities, suspects and other doubted tokens of a sentence, in displaCy's manner
  function showSentence(docNumber, sentNumber, found, first = 0, last = Infinity) {
    const [words, weights, ents] = data.docs[docNumber][1][sentNumber];
    const stop = Math.min(last, words.length);
    const marks = new Map();
    for (const [start, end, label] of ents)
      marks.set(start, { end, label, kind: "mark ent" });
    for (const s of found)
      marks.set(s.start, { ...s, label: `${s.label}?`, kind: "mark hot" });
    const line = make("div", "sentence");
    line.dir = "auto";
    if (first > 0) line.append("… ");
    for (let i = first; i < stop; ) {
      const mark = marks.get(i);
      const end = mark ? mark.end : i + 1;
      const text = words.slice(i, end).join("");
      if (mark) line.append(showMark(mark, text), /\s$/.test(text) ? " " : "");
      else line.append(showWord(text, weights[i] / 100));
      i = end;
    }
    if (stop < words.length) line.append("…");
    return line;
  }

  function showMark(mark, text) {
    const node = make("span", mark.kind, text.trimEnd(), make("b", "", mark.label));
    if (mark.weight !== undefined) {
      node.style.setProperty("--depth", depth(mark.weight));
      node.title = `weight ${mark.weight.toFixed(2)}`;
    }
    return node;
  }

  function showWord(text, weight) {
    if (weight > 0.95) return text;
    const node = make("span", "warm", text.trimEnd());
    node.style.setProperty("--depth", depth(weight));
    node.title = `weight ${weight.toFixed(2)}`;
    const whole = document.createDocumentFragment();
    whole.append(node, text.slice(text.trimEnd().length));
    return whole;
  }

  function showGold(gold) {
    if (gold === null) return "";
    const node = make("span", gold ? "gold" : "gold no");
    node.textContent = gold ? `✓ ${gold} in gold` : "✗ none in gold";
    return node;
  }

  // Lines come in portions: a form may have thousands of sentences
  function fill(body, lines, from) {
    for (const line of lines.slice(from, from + PER_GROUP)) body.append(line());
    const rest = lines.length - from - PER_GROUP;
    if (rest <= 0) return;
    const more = make("button", "more", `Show more (${rest})`);
    more.type = "button";
    more.onclick = () => {
      more.remove();
      fill(body, lines, from + PER_GROUP);
    };
    body.append(more);
  }

  function linesOfForm(members) {
    return members.map((s) => () => {
      const first = Math.max(0, s.start - AROUND);
      const line = showSentence(s.doc, s.sent, [s], first, s.end + AROUND);
      line.prepend(make("span", "where", `document ${data.docs[s.doc][0] + 1}`));
      line.append(showGold(s.gold));
      return line;
    });
  }

  function linesOfDoc(members) {
    const doc = members[0].doc;
    return data.docs[doc][1].map((_, sent) => () =>
      showSentence(doc, sent, members.filter((s) => s.sent === sent)));
  }

  function mean(members, value) {
    return members.reduce((sum, s) => sum + value(s), 0) / members.length;
  }

  function commonLabel(members) {
    const counts = new Map();
    for (const s of members)
      if (s.label) counts.set(s.label, (counts.get(s.label) || 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]);
    return sorted.length ? sorted[0][0] : "";
  }

  function showGroup(members) {
    const byDoc = get("view").value === "doc";
    const first = members[0];
    const label = byDoc ? "" : commonLabel(members);
    const sure = mean(members, (s) => (s.label === label ? s.confidence : 0));
    const facts = [`score ${mean(members, (s) => s.score).toFixed(2)}`];
    if (label) facts.push(`confidence ${sure.toFixed(2)}`);
    const number = byDoc ? data.docs[first.doc][0] + 1 : first.rank + 1;
    const preview = [...new Set(members.map((s) => s.form))].slice(0, 6).join(" · ");
    const head = make(
      "summary", "",
      make("span", "rank", `${number}`),
      make("span", "form", byDoc ? preview : first.form),
      make("span", "type", label),
      make("span", "count", `${members.length} ×`),
      make("span", "facts", facts.join(", ")),
    );
    const node = make("details", "", head);
    node.ontoggle = () => {
      if (!node.open || node.children.length > 1) return;
      const body = make("div", "");
      fill(body, byDoc ? linesOfDoc(members) : linesOfForm(members), 0);
      node.append(body);
    };
    return node;
  }

  // Lower-case text of its sentence; kept, since each key searches all of them
  function textOf(s) {
    const sent = data.docs[s.doc][1][s.sent];
    if (sent.length < 4) sent.push(sent[0].join("").toLowerCase());
    return sent[3];
  }

  function filter() {
    const text = get("search").value.trim().toLowerCase();
    const context = get("context").value.trim().toLowerCase();
    const type = get("type").value;
    const score = Number(get("score").value) || 0;
    const confidence = Number(get("confidence").value) || 0;
    const byDoc = get("view").value === "doc";
    const found = new Map();
    for (const s of suspects) {
      if (s.score < score || s.confidence < confidence) continue;
      if (type !== "*" && s.label !== type) continue;
      if (text && !s.form.toLowerCase().includes(text)) continue;
      if (context && !textOf(s).includes(context)) continue;
      const key = byDoc ? s.doc : s.rank;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(s);
    }
    groups = [...found.values()];
    if (byDoc) groups.sort((a, b) => b.length - a.length || a[0].doc - b[0].doc);
    page = 0;
    show();
  }

  function show() {
    const first = page * PER_PAGE;
    const shown = groups.slice(first, first + PER_PAGE);
    get("list").replaceChildren(...shown.map(showGroup));
    get("position").textContent = groups.length
      ? `${first + 1}–${first + shown.length} of ${groups.length}`
      : "Nothing found";
    get("previous").disabled = page === 0;
    get("next").disabled = first + PER_PAGE >= groups.length;
  }

  for (const label of [...new Set(suspects.map((s) => s.label))].sort()) {
    const option = make("option", "", label || "unknown");
    option.value = label;
    get("type").append(option);
  }
  for (const id of ["search", "context", "score", "confidence"])
    get(id).addEventListener("input", filter);
  for (const id of ["view", "type"]) get(id).addEventListener("change", filter);
  get("filters").onsubmit = (event) => event.preventDefault();
  get("previous").onclick = () => { page -= 1; show(); };
  get("next").onclick = () => { page += 1; show(); };
  filter();
})();
