/**
 * Compares the gate of the whole service with the same request on bare servers, in turns, so that other work of the machine affects
 * all of them: with API keys, with identity tokens, with digests of artifacts, and one request at a time. Every answer is compared with the correct one. `--quick`
 * runs a shorter measurement.
 */
import type { GateSubject } from './gate/gate-requests.js';
import { populate, releasesIn, type Population } from './gate/population.js';
import { TokenIssuer, type TokenSigner } from './gate/token-issuer.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import { formatResult, HEADING, line, ratio } from './measuring/report.js';

const QUICK = process.argv.includes('--quick');
const LARGE: Population = QUICK
  ? { organizations: 100, repositories: 10, releases: 10 }
  : { organizations: 1_000, repositories: 20, releases: 50 };
const SMALL: Population = { organizations: 10, repositories: 10, releases: 10 };
const ROUNDS = QUICK ? 3 : 9;
const CONNECTIONS = 64;
const LOAD = { warmUpMs: QUICK ? 500 : 1_000, durationMs: QUICK ? 1_000 : 4_000 };
const POOL_SIZE = 8;

type GateContender = Contender<GateSubject>;

async function compare(server: BenchServer, signer: TokenSigner, toStop: { stop(): Promise<void> }[]): Promise<void> {
  const start = async (name: string, module: string, subject: GateSubject, url: string): Promise<GateContender> => {
    const order = { databaseUrl: url, poolSize: POOL_SIZE };
    const contender = await Contender.start(name, new URL(module, import.meta.url), subject, order);
    toStop.push(contender);
    return contender;
  };
  console.log(`Creating ${count(SMALL)} and ${count(LARGE)} releases …`);
  const large = await server.createDatabase('gate_large', (url) => populate(url, LARGE));
  const small = await server.createDatabase('gate_small', (url) => populate(url, SMALL));
  const [shipgate, fastify, http] = ['shipgate', 'fastify', 'node-http'].map((name) => `gate/servers/${name}.js`) as [
    string,
    string,
    string,
  ];
  const byKey = { population: LARGE, signer: null };
  const byToken = { population: LARGE, signer };
  const whole = await start(`Shipgate, ${count(LARGE)} releases`, shipgate, byKey, large.runtimeUrl);
  const bare = await start(`bare Fastify, ${count(LARGE)} releases`, fastify, byKey, large.superuserUrl);
  const bareHttp = await start(`bare node:http, ${count(LARGE)} releases`, http, byKey, large.superuserUrl);
  const few = { population: SMALL, signer: null };
  const wholeFew = await start(`Shipgate, ${count(SMALL)} releases`, shipgate, few, small.runtimeUrl);
  const generator = new Child(new URL('gate/load-generator.js', import.meta.url));
  toStop.push(generator);

  await measure(generator, CONNECTIONS, [whole, bare, bareHttp, wholeFew]);
  print([
    ['requests per second, to bare Fastify', ratio(whole, bare, 'requestsPerSecond'), 'at least 0.85'],
    ['requests per second, to bare node:http', ratio(whole, bareHttp, 'requestsPerSecond'), 'at least 0.75'],
    ['p99, to bare Fastify', ratio(whole, bare, 'p99'), 'at most 1.3'],
    [`p99 at ${count(LARGE)} releases, to ${count(SMALL)}`, ratio(whole, wholeFew, 'p99'), 'at most 1.5'],
  ]);

  const [wholeToken, bareToken] = [
    whole.as('Shipgate, identity tokens', byToken),
    bare.as('bare Fastify with jwtVerify', byToken),
  ];
  await measure(generator, CONNECTIONS, [wholeToken, bareToken]);
  print([
    [
      'requests per second by token, to bare Fastify',
      ratio(wholeToken, bareToken, 'requestsPerSecond'),
      'at least 0.7',
    ],
  ]);

  const [plain, ofDigest] = [
    whole.as('Shipgate, version', byKey),
    whole.as('Shipgate, version and digest', { ...byKey, withDigest: true }),
  ];
  await measure(generator, CONNECTIONS, [plain, ofDigest]);
  print([
    [
      'requests per second with a digest, to those without',
      ratio(ofDigest, plain, 'requestsPerSecond'),
      'at least 0.83',
    ],
    ['p50 with a digest, to p50 without', ratio(ofDigest, plain, 'p50'), 'at most 1.2'],
  ]);

  const [wholeAlone, bareAlone] = [
    whole.as('Shipgate, one connection', byKey),
    bare.as('bare Fastify, one connection', byKey),
  ];
  await measure(generator, 1, [wholeAlone, bareAlone]);
  print([['p50 of one request at a time, to bare Fastify', ratio(wholeAlone, bareAlone, 'p50'), 'at most 1.3']]);
}

/** Runs the contenders in turns, and prints a table of them. */
async function measure(generator: Child, connections: number, contenders: readonly GateContender[]): Promise<void> {
  console.log(
    `\n${ROUNDS} rounds of ${LOAD.durationMs / 1_000} s each, ${connections} connections, pools of ${POOL_SIZE} …`,
  );
  const load = { ...LOAD, connections };
  // The first round compiles hot code and fills caches, so it does not count.
  for (const contender of contenders) await contender.run(generator, load);
  for (const contender of contenders) contender.rounds.length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) await contender.run(generator, load);
  }
  console.log(`\n${HEADING}\n${contenders.map(line).join('\n')}\n`);
}

const print = (results: readonly (readonly [what: string, reached: number, target: string])[]): void => {
  for (const result of results) console.log(formatResult(...result));
};

const count = (population: Population): string => releasesIn(population).toLocaleString('en');

async function benchGate(): Promise<void> {
  const issuer = await TokenIssuer.start();
  // The servers read it.
  process.env['OIDC_ISSUER'] = issuer.signer.url;
  const server = await BenchServer.start(false);
  const toStop: { stop(): Promise<void> }[] = [issuer];
  try {
    await compare(server, issuer.signer, toStop);
  } finally {
    await Promise.all(toStop.map((child) => child.stop()));
    await server.stop();
  }
}

await benchGate();
