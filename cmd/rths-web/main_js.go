package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall/js"
	"time"

	"rths/workbench"
)

// version is set when the page is built.
var version = "dev"

// yieldEvery is how often a long call lets the worker take messages, and tells its share.
const yieldEvery = 50 * time.Millisecond

// worker answers the messages of a page: {id, name, input} asks, {id} alone ends what was asked. Its answers are
// {id, share}, and at last {id, ok} with a text of JSON, {id, error} or {id, gone}.
type worker struct {
	desk    *workbench.Desk
	running map[int]context.CancelFunc
}

func main() {
	desk, err := workbench.Open("/", "", version)
	if err != nil {
		panic(err) // a folder in memory is always there
	}
	desk.Add(map[string]workbench.Call{"csv": workbench.Long(desk.CSV)})
	w := &worker{desk, map[int]context.CancelFunc{}}
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.take(args[0].Get("data"))
		return nil
	}))
	post(map[string]any{"ready": true})
	select {}
}

func post(message map[string]any) { js.Global().Call("postMessage", message) }

func (w *worker) take(message js.Value) {
	id := message.Get("id").Int()
	if message.Get("name").IsUndefined() {
		if end, ok := w.running[id]; ok {
			end()
		}
		return
	}
	ctx, end := context.WithCancel(context.Background())
	w.running[id] = end
	go func() {
		defer end()
		post(w.answer(ctx, id, message.Get("name").String(), message.Get("input").String()))
		delete(w.running, id)
	}()
}

// answer is the last message of a call.
func (w *worker) answer(ctx context.Context, id int, name, input string) (end map[string]any) {
	defer func() {
		if p := recover(); p != nil {
			end = map[string]any{"id": id, "error": fmt.Sprintf("the program has failed: %v; please report this", p)}
		}
	}()
	last := time.Now()
	progress := func(share float64) {
		if time.Since(last) < yieldEvery {
			return
		}
		post(map[string]any{"id": id, "share": share})
		time.Sleep(time.Millisecond) // messages come in
		last = time.Now()
	}
	v, err := w.desk.Call(ctx, name, []byte(input), progress)
	if err == nil && ctx.Err() == nil {
		var text strings.Builder
		if err = json.NewEncoder(&text).Encode(v); err == nil {
			return map[string]any{"id": id, "ok": text.String()}
		}
	}
	if ctx.Err() != nil {
		return map[string]any{"id": id, "gone": true}
	}
	return map[string]any{"id": id, "error": err.Error()}
}
