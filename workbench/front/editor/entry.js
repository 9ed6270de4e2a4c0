// The editor of a scenario: CodeMirror with what a scenario wants, behind functions that know lines, columns and texts
// only. Lines and columns count from 1, columns in UTF-16 units. Texts from outside become text nodes, never HTML.

import {Annotation, EditorState} from "@codemirror/state"
import {EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip,
  keymap, lineNumbers} from "@codemirror/view"
import {bracketMatching, indentUnit, syntaxTree} from "@codemirror/language"
import {defaultKeymap, historyKeymap, indentWithTab, isolateHistory, redo, undo} from "@codemirror/commands"
import {acceptCompletion, autocompletion, completionKeymap} from "@codemirror/autocomplete"
import {lintGutter, lintKeymap, setDiagnostics} from "@codemirror/lint"
import {highlightSelectionMatches, search, searchKeymap} from "@codemirror/search"
import {yaml} from "@codemirror/lang-yaml"
import {dragHint, dragging, isDragging, numberAt, numbers} from "./drag.js"
import {look} from "./look.js"

export {step} from "./number.js"

const clamp = (n, low, high) => Math.min(Math.max(Math.trunc(n) || low, low), high)

// offset is the place of a line and a column in a document; what lies outside gives the nearest place.
function offset(doc, line, column) {
  const at = doc.line(clamp(line, 1, doc.lines))
  return at.from + clamp(column, 1, at.length + 1) - 1
}

function position(doc, pos) {
  const line = doc.lineAt(pos)
  return {line: line.number, column: pos - line.from + 1}
}

// ask gives null where the page does not answer.
async function ask(question, ...about) {
  try {
    return await question?.(...about) ?? null
  } catch {
    return null
  }
}

// completions asks the page while a word is written, behind what a value begins after, and on Ctrl-Space.
const completions = options => async context => {
  const {state, pos} = context
  const begun = /[\w.-]$|(^|\s)(- )+$|[:,{[] ?$/.test(state.sliceDoc(state.doc.lineAt(pos).from, pos))
  const inside = syntaxTree(state).resolveInner(pos, -1).name
  if (!context.explicit && (!begun || inside === "Comment")) return null
  const {line, column} = position(state.doc, pos)
  const answer = await ask(options.complete, state.doc.toString(), line, column)
  if (!answer?.items?.length) return null
  return {
    from: offset(state.doc, line, answer.from), validFor: /^[\w.-]*$/,
    options: answer.items.map(({label, detail, info, apply}, order) => ({label, detail, info, apply, order})),
  }
}

const completion = options => autocompletion({
  override: [completions(options)], icons: false,
  compareCompletions: (a, b) => a.order - b.order,
})

const element = (name, text) => {
  const out = document.createElement("div")
  out.className = name
  if (text) out.append(text)
  return out
}

// help shows what the page says about a place, and of a number how it is dragged.
const help = options => hoverTooltip(async (view, pos) => {
  const {doc} = view.state
  const {line, column} = position(doc, pos)
  const answer = await ask(options.hover, doc.toString(), line, column)
  if (view.state.doc !== doc || isDragging(view)) return null
  const number = view.state.readOnly ? null : numberAt(view.state, pos)
  if (!answer && !number) return null
  const dom = element("cm-help")
  if (answer?.title) dom.append(element("cm-help-title", answer.title))
  if (answer?.text) dom.append(element("cm-help-text", answer.text))
  if (number) dom.append(element("cm-help-drag", dragHint))
  const [from, to] = answer ? [offset(doc, line, answer.from), offset(doc, line, answer.to)] : [number.from, number.to]
  return {pos: Math.min(from, pos), end: Math.max(to, pos), above: true, create: () => ({dom})}
}, {hideOnChange: true})

// Of a transaction that the page made itself: it is not told.
const silent = Annotation.define()

// tell passes changes and moves of the cursor on.
const tell = options => EditorView.updateListener.of(({state, startState, transactions, selectionSet, docChanged}) => {
  if (transactions.some(t => t.docChanged && !t.annotation(silent) || t.annotation(dragging) === "end")) {
    options.onChange?.(state.doc.toString(), {dragging: transactions.some(t => t.annotation(dragging) === true)})
  }
  const {head} = state.selection.main
  if (selectionSet || docChanged && head !== startState.selection.main.head) {
    const {line, column} = position(state.doc, head)
    options.onCursor?.(line, column)
  }
})

const described = "A scenario in YAML. Tab indents; Escape, then Tab leaves the editor. Ctrl+Space completes, " +
  "Ctrl+F searches, F8 goes to the next message. On a number: " + dragHint

const extensions = (options, colours) => [
  lineNumbers(), lintGutter(), highlightSpecialChars(), highlightActiveLine(), highlightActiveLineGutter(),
  bracketMatching(), highlightSelectionMatches(), search({top: true}), yaml(), indentUnit.of("  "),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2), EditorState.readOnly.of(!!options.readOnly),
  EditorView.editorAttributes.of({class: options.readOnly ? "cm-readonly" : ""}),
  EditorView.contentAttributes.of({"aria-label": "scenario", "aria-description": described}),
  options.nonce ? EditorView.cspNonce.of(options.nonce) : [],
  completion(options), help(options), numbers, tell(options), colours.extension(),
  keymap.of([{key: "Tab", run: acceptCompletion}, ...completionKeymap, ...lintKeymap, ...searchKeymap,
    ...historyKeymap, indentWithTab, ...defaultKeymap]),
]

// range is what a message underlines: the word or the quoted text at its place; with no column, the line.
function range(doc, {line, column}) {
  const at = doc.line(clamp(line, 1, doc.lines))
  const indent = /^\s*/.exec(at.text)[0].length
  if (!column) return {from: at.from + (indent < at.length ? indent : 0), to: at.to}
  const from = offset(doc, line, column)
  const word = /^("[^"]*"|'[^']*'|[^\s,:[\]{}]+|\S)/.exec(at.text.slice(from - at.from))
  if (word) return {from, to: from + word[0].length}
  return {from: Math.max(at.from, Math.min(from, at.to - 1)), to: Math.min(from + 1, at.to)}
}

const severities = ["error", "warning", "info"]

function diagnosed(doc, list) {
  return list.map(d => ({...range(doc, d), message: String(d.text),
    severity: severities.includes(d.severity) ? d.severity : "info"})).sort((a, b) => a.from - b.from)
}

// difference is the change from one text to another without the beginning and the end that they share, so that the
// cursor stays.
function difference(old, text) {
  let from = 0
  const shorter = Math.min(old.length, text.length)
  while (from < shorter && old[from] === text[from]) from++
  let tail = 0
  while (tail < shorter - from && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++
  return {from, to: old.length - tail, insert: text.slice(from, text.length - tail)}
}

export function create(parent, options = {}) {
  const colours = look()
  const stateOf = doc => EditorState.create({doc, extensions: extensions(options, colours)})
  const view = new EditorView({parent, state: stateOf(options.text || "")})
  const unfollow = colours.follow(view)
  return {
    text: () => view.state.doc.toString(),
    // setText tells nobody. It is one step of the history; without keepHistory it begins a new one. Where joins is
    // given, the step takes up those that follow with joins: true.
    setText(text, {keepHistory = false, joins} = {}) {
      if (!keepHistory) return view.setState(stateOf(text))
      const changes = difference(view.state.doc.toString(), text.replace(/\r\n?/g, "\n"))
      const step = joins ? dragging.of(true) : isolateHistory.of(joins === false ? "before" : "full")
      view.dispatch({changes, annotations: [silent.of(true), step]})
    },
    diagnostics: list => view.dispatch(setDiagnostics(view.state, diagnosed(view.state.doc, list))),
    show(line, column) {
      const anchor = offset(view.state.doc, line, column)
      view.dispatch({selection: {anchor}, effects: EditorView.scrollIntoView(anchor, {y: "center"})})
      view.focus()
    },
    focus: () => view.focus(),
    undo: () => undo(view),
    redo: () => redo(view),
    // numberAt is the number at a place: its columns and its text, or null.
    numberAt(line, column) {
      const {doc} = view.state
      const number = numberAt(view.state, offset(doc, line, column))
      if (!number) return null
      return {from: position(doc, number.from).column, to: position(doc, number.to).column, text: number.text}
    },
    destroy() {
      unfollow()
      view.destroy()
    },
  }
}
