// Colours and shapes of the editor, light and dark. Every colour of text has a contrast of 4.5 or more on its ground.
// No rule names an address: the page forbids images from data addresses, which CodeMirror has for its marks.

import {Compartment} from "@codemirror/state"
import {EditorView} from "@codemirror/view"
import {HighlightStyle, syntaxHighlighting} from "@codemirror/language"
import {tags} from "@lezer/highlight"

const light = {
  ground: "#fff", text: "#1f2328", faint: "#59636e", key: "#0550ae", number: "#953800", string: "#116329",
  tag: "#6639ba", line: "#f3f6f9", edge: "#d1d9e0", chosen: "#b6d7ff", match: "#fff0b3", raised: "#f6f8fa",
  error: "#c4001d", warning: "#9a6700", info: "#0969da",
}
const dark = {
  ground: "#16181c", text: "#e6edf3", faint: "#9da5ae", key: "#79c0ff", number: "#ffa657", string: "#7ee787",
  tag: "#d2a8ff", line: "#1f2228", edge: "#3d444d", chosen: "#1f4a7d", match: "#5a4a00", raised: "#22262c",
  error: "#ff7b72", warning: "#e3b341", info: "#79c0ff",
}
const variables = of => Object.fromEntries(Object.entries(of).map(([name, colour]) => ["--editor-" + name, colour]))
const colour = name => `var(--editor-${name})`
const wavy = name => ({
  backgroundImage: "none", paddingBottom: 0, textDecoration: `underline wavy 1px ${colour(name)}`,
  textDecorationSkipInk: "none", textUnderlineOffset: "3px",
})
const sign = (name, more) => ({content: "normal", width: ".7em", height: ".7em", margin: ".35em .15em 0",
  backgroundColor: colour(name), ...more})

const shapes = EditorView.theme({
  "&": {color: colour("text"), backgroundColor: colour("ground"), height: "100%"},
  "&.cm-focused": {outline: "none"},
  "&.cm-focused::after": {content: "''", position: "absolute", inset: 0, outline: `2px solid ${colour("info")}`,
    outlineOffset: "-2px", pointerEvents: "none", zIndex: 400},
  ".cm-scroller": {fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", lineHeight: "1.5"},
  ".cm-content": {caretColor: colour("text")},
  ".cm-gutters": {color: colour("faint"), backgroundColor: colour("ground"),
    borderRight: `1px solid ${colour("edge")}`},
  ".cm-activeLine": {backgroundColor: colour("line")},
  ".cm-activeLineGutter": {color: colour("text"), backgroundColor: colour("line")},
  "& .cm-content ::selection, & .cm-content::selection": {backgroundColor: colour("chosen")},
  "&.cm-focused .cm-matchingBracket": {backgroundColor: "transparent", outline: `1px solid ${colour("faint")}`},
  "&.cm-focused .cm-nonmatchingBracket": {backgroundColor: "transparent", outline: `1px solid ${colour("error")}`},
  ".cm-selectionMatch": {backgroundColor: colour("raised"), outline: `1px solid ${colour("edge")}`},
  ".cm-searchMatch": {backgroundColor: colour("match")},
  ".cm-searchMatch-selected": {outline: `2px solid ${colour("warning")}`},
  ".cm-number": {color: colour("number")},
  "&:not(.cm-readonly) .cm-number": {cursor: "ew-resize"},
  // Of all text: the mark of a number is made anew at each change, and a drag would end there.
  "&:not(.cm-readonly) .cm-content": {touchAction: "pan-y pinch-zoom"},
  "&:not(.cm-readonly) .cm-number:hover": {textDecoration: `underline dotted ${colour("number")}`,
    textUnderlineOffset: "3px"},
  "&.cm-dragging, &.cm-dragging .cm-content": {cursor: "ew-resize"},
  ".cm-lintRange-error": wavy("error"),
  ".cm-lintRange-warning": wavy("warning"),
  ".cm-lintRange-info, .cm-lintRange-hint": wavy("info"),
  ".cm-lintRange-active": {backgroundColor: colour("match")},
  ".cm-gutter-lint": {width: "1.1em"},
  ".cm-gutter-lint .cm-gutterElement": {padding: 0},
  ".cm-lint-marker-error": sign("error", {borderRadius: "50%"}),
  ".cm-lint-marker-warning": sign("warning", {clipPath: "polygon(50% 0, 100% 100%, 0 100%)"}),
  ".cm-lint-marker-info": sign("info"),
  ".cm-tooltip": {color: colour("text"), backgroundColor: colour("raised"), border: `1px solid ${colour("edge")}`,
    borderRadius: "4px", maxWidth: "min(40em, 90vw)"},
  ".cm-tooltip-section:not(:first-child)": {borderTop: `1px solid ${colour("edge")}`},
  ".cm-diagnostic": {borderLeftWidth: "3px", whiteSpace: "pre-wrap", overflowWrap: "anywhere"},
  ".cm-diagnostic-error": {borderLeftColor: colour("error")},
  ".cm-diagnostic-warning": {borderLeftColor: colour("warning")},
  ".cm-diagnostic-info": {borderLeftColor: colour("info")},
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {fontFamily: "inherit", maxHeight: "16em"},
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {padding: "2px 6px"},
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {color: colour("text"),
    backgroundColor: colour("chosen")},
  ".cm-completionMatchedText": {textDecoration: "none", fontWeight: "bold"},
  ".cm-completionDetail": {color: colour("faint"), fontStyle: "normal", marginLeft: "1em"},
  "li[aria-selected] .cm-completionDetail": {color: "inherit"},
  ".cm-completionInfo": {padding: "4px 8px", whiteSpace: "pre-wrap", maxWidth: "28em"},
  ".cm-help": {padding: "4px 8px", whiteSpace: "pre-wrap", overflowWrap: "anywhere"},
  ".cm-help-title": {fontWeight: "bold"},
  ".cm-help-drag": {color: colour("faint"), fontSize: "90%"},
  ".cm-panels": {color: colour("text"), backgroundColor: colour("raised"), borderColor: colour("edge")},
  ".cm-textfield, .cm-button": {color: colour("text"), backgroundColor: colour("ground"), backgroundImage: "none",
    border: `1px solid ${colour("faint")}`},
  ".cm-textfield::placeholder": {color: colour("faint")},
})

const tokens = HighlightStyle.define([
  {tag: tags.definition(tags.propertyName), color: colour("key")},
  {tag: [tags.string, tags.special(tags.string)], color: colour("string")},
  {tag: [tags.lineComment, tags.separator, tags.punctuation, tags.squareBracket, tags.brace, tags.meta],
    color: colour("faint")},
  {tag: [tags.typeName, tags.labelName, tags.keyword, tags.attributeValue], color: colour("tag")},
])

const schemes = {
  light: EditorView.theme({"&": {...variables(light), colorScheme: "light"}}),
  dark: EditorView.theme({"&": {...variables(dark), colorScheme: "dark"}}, {dark: true}),
}

// look gives the extension of a view, and follow(), which changes the colours of a view with what the reader wants and
// gives what ends that.
export function look() {
  const wanted = window.matchMedia("(prefers-color-scheme: dark)")
  const scheme = new Compartment()
  const now = () => wanted.matches ? schemes.dark : schemes.light
  return {
    extension: () => [shapes, syntaxHighlighting(tokens), scheme.of(now())],
    follow(view) {
      const change = () => view.dispatch({effects: scheme.reconfigure(now())})
      wanted.addEventListener("change", change)
      return () => wanted.removeEventListener("change", change)
    },
  }
}
