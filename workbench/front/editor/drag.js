// Numbers of a scenario: they are coloured, and change when they are dragged sideways or with Alt and an arrow.

import {Annotation, Prec, StateField, Transaction} from "@codemirror/state"
import {Decoration, ViewPlugin, keymap} from "@codemirror/view"
import {ensureSyntaxTree, syntaxTree} from "@codemirror/language"
import {history, isolateHistory, undo} from "@codemirror/commands"
import {isNumber, step} from "./number.js"

export const dragHint = "Drag sideways, or Alt+↑ and Alt+↓; with Shift ten times finer."

// Of a transaction: true for a change while a number is dragged, "end" for what ends the drag.
export const dragging = Annotation.define()

const startsAfter = 3 // pixels: less is a click
const pixelsPerTick = 4

const mark = Decoration.mark({class: "cm-number"})

const isValue = (state, node) =>
  node.name === "Literal" && node.parent?.name !== "Key" && isNumber(state.sliceDoc(node.from, node.to))

// numberAt is the number that a place touches, null if there is none.
export function numberAt(state, pos) {
  const tree = ensureSyntaxTree(state, Math.min(pos + 1, state.doc.length), 100) || syntaxTree(state)
  for (const side of [1, -1]) {
    const node = tree.resolveInner(pos, side)
    if (isValue(state, node)) return {from: node.from, to: node.to, text: state.sliceDoc(node.from, node.to)}
  }
  return null
}

function marks(view) {
  const found = []
  for (const {from, to} of view.visibleRanges) {
    syntaxTree(view.state).iterate({from, to, enter(node) {
      if (isValue(view.state, node.node)) found.push(mark.range(node.from, node.to))
    }})
  }
  return Decoration.set(found, true)
}

// Drag holds one number from the press of the button to its release.
class Drag {
  constructor(view) {
    this.view = view
    this.marks = marks(view)
    this.held = null
  }

  update(update) {
    if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state)) {
      this.marks = marks(update.view)
    }
    if (update.docChanged && !update.transactions.every(t => t.annotation(dragging))) this.release()
  }

  press(event) {
    this.release()
    const target = event.target.closest?.(".cm-number")
    const other = event.button !== 0 || !event.isPrimary || event.ctrlKey || event.metaKey || event.altKey
    if (!target || other || this.view.state.readOnly) return
    const number = numberAt(this.view.state, this.view.posAtDOM(target))
    if (!number) return
    // The ticks count from text and x: both are set anew where Shift goes down or up.
    this.held = {from: number.from, text: number.text, x: event.clientX, now: number.text, finer: event.shiftKey,
      moves: false, changed: false, down: event}
    this.view.contentDOM.setPointerCapture(event.pointerId)
  }

  move(event) {
    const held = this.held
    if (!held || event.pointerId !== held.down.pointerId) return
    if (!held.moves) {
      if (Math.abs(event.clientX - held.down.clientX) < startsAfter) return
      held.moves = true
      this.view.dom.classList.add("cm-dragging")
      this.view.focus()
    }
    if (event.shiftKey !== held.finer) Object.assign(held, {finer: event.shiftKey, text: held.now, x: event.clientX})
    const insert = step(held.text, Math.trunc((event.clientX - held.x) / pixelsPerTick), held.finer)
    if (insert === held.now) return
    const changes = {from: held.from, to: held.from + held.now.length, insert}
    const annotations = [dragging.of(true), ...held.changed ? [] : [isolateHistory.of("before")]]
    Object.assign(held, {now: insert, changed: true})
    this.view.dispatch({changes, annotations})
  }

  // end closes the step of the history; a press without a drag is a click.
  end(event) {
    const held = this.held
    if (!held || event.pointerId !== held.down.pointerId) return
    this.release()
    if (held.moves) {
      this.view.dispatch({selection: {anchor: held.from + held.now.length},
        annotations: [dragging.of("end"), isolateHistory.of("after")]})
    } else if (event.pointerType !== "touch") {
      this.click(held.down)
    }
  }

  click({clientX: x, clientY: y, shiftKey}) {
    const head = this.view.posAtCoords({x, y}, false)
    this.view.dispatch({selection: {anchor: shiftKey ? this.view.state.selection.main.anchor : head, head},
      userEvent: "select.pointer"})
    this.view.focus()
  }

  // cancel takes a drag back.
  cancel() {
    const {moves, changed} = this.held || {}
    this.release()
    if (changed) undo(this.view)
    return !!moves
  }

  release() {
    if (!this.held) return
    const {pointerId} = this.held.down
    if (this.view.contentDOM.hasPointerCapture(pointerId)) this.view.contentDOM.releasePointerCapture(pointerId)
    this.held = null
    this.view.dom.classList.remove("cm-dragging")
  }

  destroy() { this.release() }
}

const drag = ViewPlugin.fromClass(Drag, {
  decorations: drag => drag.marks,
  eventHandlers: {
    pointerdown(event) { this.press(event) },
    pointermove(event) { this.move(event) },
    pointerup(event) { this.end(event) },
    pointercancel() { this.cancel() },
    // The selection of CodeMirror begins here; that of a second click selects the word.
    mousedown(event) {
      if (event.detail > 1) this.release()
      return this.held !== null
    },
  },
})

// The history joins all changes of a drag, and others that follow within half a second and touch.
const changedAt = StateField.define({
  create: () => 0,
  update: (time, t) => t.docChanged ? t.annotation(Transaction.time) : time,
})
const joined = history({
  newGroupDelay: 1e9,
  joinToEvent: (t, adjacent) => t.annotation(dragging) === true ||
    adjacent && t.annotation(Transaction.time) - t.startState.field(changedAt) < 500,
})

export const isDragging = view => !!view.plugin(drag)?.held?.moves

// turn changes the number at the cursor. Quick repeats are one step of the history.
const turn = (ticks, finer) => view => {
  const number = view.state.readOnly ? null : numberAt(view.state, view.state.selection.main.head)
  if (!number) return false
  const insert = step(number.text, ticks, finer)
  view.dispatch({changes: {from: number.from, to: number.to, insert}, scrollIntoView: true,
    selection: {anchor: number.from + insert.length}})
  return true
}

export const numbers = [changedAt, joined, drag, Prec.high(keymap.of([
  {key: "Alt-ArrowUp", run: turn(1, false), shift: turn(1, true)},
  {key: "Alt-ArrowDown", run: turn(-1, false), shift: turn(-1, true)},
  {key: "Escape", run: view => view.plugin(drag)?.cancel() || false},
]))]
