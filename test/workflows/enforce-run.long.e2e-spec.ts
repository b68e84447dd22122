import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { faultyGateServer, identityService, TestServer } from './runner-services.js';
import { commandsIn, Runner, type StepOutcome, type StepPlace } from './step-run.js';

const GATE: StepPlace = { workflow: 'enforce', job: 'gate', step: 'Check the deploy gate' };
const RULES: StepPlace = { workflow: 'enforce', job: 'rules', step: 'Check sdlc.yaml' };
const SECRET = 'the token of the job';
/** No server listens there. */
const NOWHERE = 'http://127.0.0.1:9';

describe('the enforcement workflow, run by bash', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let runner: Runner;
  let candidate: string;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    candidate = await scenario.approved('v1.0.0');
    await scenario.evidencing('v2.0.0');
    identities = await identityService(SECRET, () => scenario.run(scenario.head()).token());
  }, 120_000);
  afterAll(async () => {
    await identities.stop();
    await env.stop();
  });
  beforeEach(async () => {
    runner = await Runner.create();
  });
  afterEach(() => runner.remove());

  const run = (place: StepPlace, variables: Readonly<Record<string, string>> = {}): Promise<StepOutcome> =>
    runner.run(place, {
      SHIPGATE_URL: env.baseUrl,
      SHIPGATE_AUDIENCE: 'shipgate',
      GITHUB_REPOSITORY: 'acme/payments',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
      ...variables,
    });
  const gate = (variables: Readonly<Record<string, string>> = {}): Promise<StepOutcome> =>
    run(GATE, { VERSION: 'v1.0.0', COMMIT: candidate, ...variables });

  it('lets a deployment continue if the gate is open, and masks its token', async () => {
    const { code, log } = await gate();
    expect([code, log]).toEqual([0, expect.stringContaining('"can_deploy":true')]);
    expect(log).toMatch(/^::add-mask::ey/m);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['the gate of the release is closed', { VERSION: 'v2.0.0' }],
    ['the commit is not the candidate', { COMMIT: 'f'.repeat(40) }],
    ['the commit is none', { COMMIT: 'main' }],
    ['there is no such release', { VERSION: 'v9.9.9' }],
    ['no version was given', { VERSION: '' }],
    ['the version is more than one parameter', { VERSION: 'v1.0.0&version=v1.0.0' }],
    ['the repository is another one', { GITHUB_REPOSITORY: 'acme/unknown' }],
    ['the job may ask for no identity', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }],
    ['it gets none', { ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' }],
    ['the token is for another audience', { SHIPGATE_AUDIENCE: 'other' }],
  ])('stops it if %s', async (_, variables) => {
    const { code, log } = await gate(variables);
    expect([code, log]).toEqual([1, expect.stringContaining('::error title=Shipgate::')]);
  });

  it('stops it if the service is unavailable, after several attempts', async () => {
    const { code, log } = await gate({ SHIPGATE_URL: NOWHERE });
    expect([code, log]).toEqual([1, expect.stringContaining('No response from Shipgate')]);
  });

  it('retries if the service is temporarily unavailable', async () => {
    const { server, passed } = await faultyGateServer(env.baseUrl, 2);
    try {
      expect(await gate({ SHIPGATE_URL: server.url })).toMatchObject({ code: 0 });
      expect(passed).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });

  it('runs nothing from the text of a version', async () => {
    const { code, log } = await gate({ VERSION: '$(touch owned); `touch owned` "; touch owned; #' });
    expect(code).toBe(1);
    expect(log).not.toContain('owned: ');
  });

  it('checks the policy of the pushed commit', async () => {
    expect(await run(RULES)).toMatchObject({ code: 0, log: expect.stringContaining('"status":"valid"') });
    scenario.repository.commit({ files: { 'sdlc.yaml': 'version: v1\nnmae: payments\n' } });
    const { code, log } = await run(RULES);
    expect([code, log]).toEqual([1, expect.stringContaining('"line":2')]);
    expect(log).toContain('::error file=sdlc.yaml');
    scenario.repository.commit({ files: { 'sdlc.yaml': null } });
    expect(await run(RULES)).toMatchObject({ code: 1, log: expect.stringContaining('"status":"missing"') });
  });

  it.each<[string, StepPlace, readonly string[]]>([
    ['the gate', GATE, ['::error title=Shipgate::The deploy gate is closed. The response above has the reasons.']],
    [
      'the rules',
      RULES,
      ['::error file=sdlc.yaml,title=Shipgate::sdlc.yaml is missing or invalid. The response above has the details.'],
    ],
  ])('shows a response about %s, and runs nothing in it as a command', async (_, place, own) => {
    const lines = [
      '::error::no',
      '##[notice]Approved',
      'x ##[add-mask]a',
      '::stop-commands::x',
      '::x::',
      '::set-env name=A::b',
    ];
    const server = await TestServer.answering((request, response) => {
      request.resume();
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"can_deploy":false}\r\n${lines.join('\r\n')}`);
    });
    try {
      const answers = [1, 2].map(async () =>
        run(place, { VERSION: 'v1.0.0', COMMIT: candidate, SHIPGATE_URL: server.url }),
      );
      const texts = new Set<string>();
      for (const { code, log } of await Promise.all(answers)) {
        expect(code).toBe(1);
        for (const line of lines) expect(log).toContain(line);
        expect(commandsIn(log).filter((command) => !command.startsWith('::add-mask::'))).toEqual(own);
        texts.add(/^::stop-commands::([0-9a-f]{32})$/m.exec(log)?.[1] ?? '');
      }
      expect(texts.size).toBe(2);
    } finally {
      await server.stop();
    }
  });

  it('does not report the policy as checked without a response', async () => {
    const { code, log } = await run(RULES, { SHIPGATE_URL: NOWHERE });
    expect([code, log]).toEqual([1, expect.stringContaining('sdlc.yaml is not checked')]);
  });
});
