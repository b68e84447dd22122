/**
 * Measures the latency of the gate for other workspaces while one credential repeatedly sends an expensive body, and compares it
 * with the gate alone, in turns. `--quick` runs a shorter measurement. `--only=<text>` sends only bodies whose name contains it.
 */
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { samples } from './bodies/bodies.js';
import type { SendCommand, Sent } from './bodies/sender.js';
import type { GateSubject } from './gate/gate-requests.js';
import { populate, type Population } from './gate/population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import type { Measurement } from './measuring/load.js';
import { median } from './measuring/median.js';

const QUICK = process.argv.includes('--quick');
const ONLY = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length) ?? '';
const POPULATION: Population = { organizations: 20, repositories: 5, releases: 10 };
/** The number of the organization whose key sends the bodies. The load generator does not request its gate. */
const SENDING_ORGANIZATION = POPULATION.organizations + 1;
const ROUNDS = QUICK ? 2 : 5;
const LOAD = { connections: 4, warmUpMs: 300, durationMs: QUICK ? 1_000 : 2_500 };

async function measure(gate: Contender<GateSubject>, loadGenerator: Child, sender: Child): Promise<void> {
  console.log(`${ROUNDS} rounds of ${LOAD.durationMs / 1_000} s each, ${LOAD.connections} connections to the gate …\n`);
  console.log(`${'body'.padEnd(34)} alone p50   p99  meanwhile p50   p99   ratio p50   p99 per second  answer`);
  await gate.run(loadGenerator, LOAD);
  for (const [sample, { name, bytes }] of samples().entries()) {
    if (!name.includes(ONLY)) continue;
    const alone: Measurement[] = [];
    const meanwhile: Measurement[] = [];
    const rates: number[] = [];
    let last = '';
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await measureRound(gate, loadGenerator));
      sender.send({ port: gate.port, organization: SENDING_ORGANIZATION, sample } satisfies SendCommand);
      const begin = performance.now();
      meanwhile.push(await measureRound(gate, loadGenerator));
      sender.send({ stop: true });
      const { answers, status, answer } = await sender.next<Sent>();
      rates.push((answers * 1_000) / (performance.now() - begin));
      last = `${status} ${answer}`;
    }
    const of = (which: 'p50' | 'p99'): readonly number[] => {
      const one = median(alone.map((round) => round[which]));
      const other = median(meanwhile.map((round) => round[which]));
      return [one, other, median(meanwhile.map((round, at) => round[which] / (alone[at]?.[which] ?? Number.NaN)))];
    };
    const [p50, p99] = [of('p50'), of('p99')];
    const figures = [p50[0], p99[0], p50[1], p99[1], p50[2], p99[2], median(rates)]
      .map((figure) => (figure ?? Number.NaN).toFixed(2).padStart(8))
      .join('');
    console.log(`${`${name}, ${(bytes.length / 1e6).toFixed(1)} MB`.padEnd(46)}${figures}  ${last}`);
  }
}

/** Measures one round and removes it from the rounds of the contender. */
async function measureRound(gate: Contender<GateSubject>, loadGenerator: Child): Promise<Measurement> {
  await gate.run(loadGenerator, LOAD);
  const measurement = gate.rounds.pop();
  if (!measurement) throw new Error('The round has no measurement.');
  return measurement;
}

const server = await BenchServer.start(false);
const toStop: { stop(): Promise<void> }[] = [];
try {
  const { runtimeUrl, superuserUrl } = await server.createDatabase('bodies', (url) =>
    populate(url, { ...POPULATION, organizations: SENDING_ORGANIZATION }),
  );
  await withDedicatedClient(superuserUrl, (client) =>
    client.query(`update api_key set scopes = '{evidence:write,gate:read}'`),
  );
  const gate = await Contender.start<GateSubject>(
    'gate',
    new URL('gate/servers/shipgate.js', import.meta.url),
    { population: POPULATION, signer: null },
    {
      databaseUrl: runtimeUrl,
      poolSize: 8,
    },
  );
  toStop.push(gate);
  const loadGenerator = new Child(new URL('gate/load-generator.js', import.meta.url));
  const sender = new Child(new URL('bodies/sender.js', import.meta.url));
  toStop.push(loadGenerator, sender);
  await measure(gate, loadGenerator, sender);
} finally {
  await Promise.all(toStop.map((child) => child.stop()));
  await server.stop();
}
