// Prints the size of each screen of the built dashboard, and fails if one is above its budget. Run by scripts/build.mjs.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const DIST = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../dist/web');
const FIRST_SCREEN = 'src/features/releases/release-list.screen.tsx';
const KB = 1_000;
/** The limits of the first screen, of each further screen and of a single file before compression, in kB. */
const BUDGET = { firstScript: 178, firstStyle: 30, screenScript: 40, rawFile: 400 };

const manifest = JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8'));

/** Returns the files that the browser loads for these chunks, without those that it loads on demand. */
function listFiles(...chunks) {
  const [seen, files] = [new Set(), new Set()];
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const { file, imports = [] } = manifest[name];
    files.add(file);
    imports.forEach(visit);
  };
  chunks.forEach(visit);
  return files;
}

const read = (file) => readFileSync(path.join(DIST, file));
const sumSizes = (files, suffix, compress = gzipSync) =>
  [...files].filter((file) => file.endsWith(suffix)).reduce((sum, file) => sum + compress(read(file)).length, 0) / KB;

// The styles of all screens are one file, which the start page loads.
const first = listFiles('index.html', 'style.css', FIRST_SCREEN);
const sizes = [{ name: 'first screen', files: first, script: sumSizes(first, '.js'), style: sumSizes(first, '.css') }];
for (const name of Object.keys(manifest).filter((key) => key.endsWith('.screen.tsx') && key !== FIRST_SCREEN)) {
  const added = new Set([...listFiles(name)].filter((file) => !first.has(file)));
  sizes.push({
    name: path.basename(name, '.screen.tsx'),
    files: added,
    script: sumSizes(added, '.js'),
    style: sumSizes(added, '.css'),
  });
}

if (process.argv.includes('--report')) {
  console.log(
    'kB as sent with gzip, with brotli and before compression; each further screen in addition to the first one',
  );
  for (const { name, files, script, style } of sizes) {
    const columns = [['script', script, '.js'], ...(style > 0 ? [['style', style, '.css']] : [])].map(
      ([title, gzipped, suffix]) => {
        const others = [brotliCompressSync, (content) => content].map((compress) => sumSizes(files, suffix, compress));
        return `${title} ${[gzipped, ...others].map((size) => size.toFixed(1).padStart(6)).join(' ')}`;
      },
    );
    console.log(`${name.padEnd(24)} ${columns.join('   ')}`);
  }
}

const [start, ...screens] = sizes;
const excesses = [
  ...(start.script > BUDGET.firstScript ? [`first screen: ${start.script.toFixed(1)} kB of scripts`] : []),
  ...(start.style > BUDGET.firstStyle ? [`first screen: ${start.style.toFixed(1)} kB of styles`] : []),
  ...screens
    .filter(({ script }) => script > BUDGET.screenScript)
    .map(({ name, script }) => `${name}: ${script.toFixed(1)} kB of scripts`),
  ...Object.values(manifest)
    .map(({ file }) => [file, read(file).length / KB])
    .filter(([, size]) => size > BUDGET.rawFile)
    .map(([file, size]) => `${file}: ${size.toFixed(1)} kB before compression`),
];
for (const excess of excesses) console.error(`Above the budget of the dashboard: ${excess}`);
if (excesses.length > 0) process.exitCode = 1;
