// Records the statements that a version sends to the database as the runtime role, for the test of the upgrade from that version.
// In a checkout of that version:
//   RECORDED=/tmp/statements.jsonl NODE_OPTIONS='--import <this file>' npm run jest -- test/e2e/history.e2e-spec.ts …
// Then, in this checkout, to select the statements with a name that a migration changed:
//   node scripts/record-statements.mjs /tmp/statements.jsonl 'person|host_token|…' > test/fixtures/statements/<version>.json
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [, , recorded, names] = process.argv;
const target = process.env['RECORDED'];

if (target !== undefined) {
  // The package of the checkout in which this script runs.
  const pg = createRequire(`${process.cwd()}/package.json`)('pg');
  const seen = new Set();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (...args) {
    const text = typeof args[0] === 'string' ? args[0] : args[0]?.text;
    if (this.user === 'shipgate_app' && typeof text === 'string' && !seen.has(text)) {
      seen.add(text);
      appendFileSync(target, `${JSON.stringify(text)}\n`);
    }
    return query.apply(this, args);
  };
} else {
  const statements = readFileSync(recorded, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shortened = new Set(statements.map((text) => text.trim().replaceAll(/\s*\n\s*/g, '\n')));
  const selected = [...shortened]
    .filter((text) => new RegExp(`\\b(?:${names})\\b`).test(text))
    .toSorted((one, other) => (one < other ? -1 : 1));
  process.stdout.write(`${JSON.stringify(selected, null, 2)}\n`);
}
