import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { serverPrograms } from '../operate/postgres-server.js';
import { type ChaosReport, runChaos } from './chaos-run.js';
import { runControl } from './control-run.js';
import { median } from './samples.js';

const USAGE = `Lets processes, servers, GitHub and clocks fail under load, and compares every acknowledged request with the database.

  npm run test:chaos [-- [--minutes NUMBER] [--seed TEXT]]

--minutes  how long parts fail, 60 without it. Memory is judged from 15 minutes on.
--seed     the order of the faults, as an earlier run printed it.
Everything runs on this machine. It needs the programs of PostgreSQL, and uses PgBouncer if it is installed.
Exits with 0 if nothing was lost, doubled or wrong, otherwise with 1.
`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    help: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (values.help || !(minutes > 0)) {
  print(USAGE);
  process.exit(values.help ? 0 : 64);
}
if (serverPrograms() === null) {
  print('Nothing was tried: install postgresql from the packages of the distribution.');
  process.exit(0);
}

print('The control acknowledges before anything is stored, so that the ledger must find losses.');
const control = await runControl();
print(JSON.stringify(control));
const isBlind = Object.values(control).some((found) => found === 0);
if (isBlind) print('The ledger does not find what the control lost.');

print(`Parts fail for ${minutes} minutes, in the order of the seed ${values.seed}.`);
const problems = describe(await runChaos({ minutes, seed: values.seed, print }));
for (const problem of problems) print(`PROBLEM: ${problem}`);
print(problems.length === 0 ? 'Nothing was lost, doubled or wrong.' : `${problems.length} problems.`);
process.exitCode = isBlind || problems.length > 0 ? 1 : 0;

/** Prints the report, and returns its problems. */
function describe(report: ChaosReport): readonly string[] {
  const { ledger, comparison } = report;
  for (const [fault, times] of report.faults) print(`${String(times).padStart(4)} × ${fault}`);
  print(
    `Acknowledged: ${report.deliveries} deliveries, ${ledger.uploads.length} uploads. Complete exports and lists: ${ledger.exports}.`,
  );
  print(
    `Answers: ${ledger.answered}, of which ${ledger.putOff} had a retry time; ${ledger.unanswered} requests had none. ` +
      `Gate: ${ledger.gateRequests} requests, ${ledger.yes} times yes.`,
  );
  print(
    `Lost: ${comparison.deliveriesLost.length} deliveries, ${comparison.uploadsLost.length} uploads, ${comparison.releasesMissing.length} releases. ` +
      `Doubled: ${comparison.uploadsDoubled.length} uploads, ${comparison.doubled} releases or changes of stage. False yes: ${ledger.falseYes.length}.`,
  );
  print(`Events of each reader: ${JSON.stringify(report.events)}`);
  print(`Audit log: ${report.audit}`);
  print(
    `Starts that failed while the database was not available: ${report.failedStarts}. Lines with the level error: ${report.errors.length}.`,
  );
  print(`The gate was open ${report.recovery.seconds} s after the last fault.`);
  for (const { name, values: samples, flat } of report.series) {
    const [first, last] = [samples.slice(0, 6), samples.slice(-6)];
    print(`${name.padEnd(28)} ${median(first)} → ${median(last)}, at most ${Math.max(...samples)}: ${flat}`);
  }
  for (const line of new Set(
    report.errors.map((text) => text.replaceAll(/"(time|pid|requestId)":("[^"]*"|\d+),?/g, '')),
  ))
    print(`ERROR in the log: ${line.slice(0, 400)}`);
  const list = (name: string, found: readonly unknown[]): readonly string[] =>
    found.map((one) => `${name}: ${typeof one === 'string' ? one : JSON.stringify(one)}`);
  return [
    ...list('delivery lost', comparison.deliveriesLost),
    ...list('upload lost', comparison.uploadsLost),
    ...list('upload doubled', comparison.uploadsDoubled),
    ...list('release missing', comparison.releasesMissing),
    ...list('releases or changes of stage doubled', comparison.doubled > 0 ? [String(comparison.doubled)] : []),
    ...list('false yes', ledger.falseYes),
    ...list('wrong answer', [...new Set(ledger.wrong)]),
    ...list('incomplete', ledger.incomplete),
    ...list('ended by itself', report.deaths),
    ...list(
      'events missed or doubled',
      report.events.filter(({ missed, doubled }) => missed + doubled > 0),
    ),
    ...list('exit code', report.exitCodes.filter((code) => code !== 0).map(String)),
    ...list(
      'grows',
      report.series.filter(({ flat }) => flat === 'grows').map(({ name }) => name),
    ),
    ...(report.recovery.isOpen ? [] : [`the gate does not open again: ${JSON.stringify(report.recovery.answer)}`]),
    ...(report.isAuditIntact ? [] : ['the audit log is not intact']),
  ];
}
