"use strict";

// Traces are packed (pack.go); null where there is no number.
async function unpackPage(page) {
  return Promise.all(page.traces.map(page.plain ? plainly : unpack));
}

// The bytes of a text in base64. Loops are several times as fast as from() with a function.
function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

function plainly(text) {
  const numbers = new Float32Array(bytesOf(text).buffer), values = new Array(numbers.length);
  for (let k = 0; k < values.length; k++) values[k] = Number.isFinite(numbers[k]) ? numbers[k] : null;
  return values;
}

async function unpack(text) {
  const packed = new Blob([bytesOf(text)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = planes.length / 4, values = new Array(n);
  const bits = new Uint32Array(1), number = new Float32Array(bits.buffer);
  for (let k = 0, place = 0; k < n; k++) {
    const word = planes[k] | planes[n + k] << 8 | planes[2 * n + k] << 16 | planes[3 * n + k] << 24;
    place += word >>> 1 ^ -(word & 1);
    const b = place << 6;
    bits[0] = (b < 0 ? b & 0x7fffffff : ~b) & ~63;
    values[k] = Number.isFinite(number[0]) ? number[0] : null;
  }
  return values;
}
