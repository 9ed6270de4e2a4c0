// Bundles the editor into ../assets/editor.js, and the licences of what it holds into ../assets/editor.LICENSES.txt.
// The bundle's first line names the packages in it, and a sum of the sources here: a test compares them.

import {createHash} from "node:crypto"
import {readFileSync, readdirSync, writeFileSync} from "node:fs"
import {build} from "esbuild"

const assets = "../assets/"
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages

const sum = createHash("sha256")
for (const name of readdirSync(".").filter(name => name.endsWith(".js")).sort()) sum.update(readFileSync(name))

const settings = {entryPoints: ["entry.js"], bundle: true, minify: true, format: "iife", globalName: "rthsEditor",
  target: ["chrome110", "firefox115", "safari16.4"], legalComments: "none", metafile: true, write: false}
const result = await build(settings)
const inside = Object.entries(Object.values(result.metafile.outputs)[0].inputs).filter(([, of]) => of.bytesInOutput > 0)
const paths = inside.map(([path]) => /^node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean)
const packages = [...new Set(paths)].sort().map(path => {
  const file = readdirSync(path).find(name => /^licen[cs]e/i.test(name))
  if (!file) throw new Error(`${path}: found no licence file`)
  return {name: path.slice("node_modules/".length) + " " + lock[path].version,
    text: readFileSync(`${path}/${file}`, "utf8").replace(/\r\n/g, "\n").trim()}
})

const banner = "/* rthsEditor, from workbench/front/editor by make editor. " +
  `Holds: ${packages.map(p => p.name).join(", ")}. ` +
  `Licences: editor.LICENSES.txt. Sources: ${sum.digest("hex")} */\n`
writeFileSync(assets + "editor.js", banner + result.outputFiles[0].text)

const texts = new Map()
for (const {name, text} of packages) texts.set(text, [...texts.get(text) || [], name])
const parts = [...texts].map(([text, names]) => names.map(name => `=== ${name}\n`).join("") + "\n" + text + "\n")
writeFileSync(assets + "editor.LICENSES.txt", "Packages in editor.js, and their licences.\n\n" + parts.join("\n"))
