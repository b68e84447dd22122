import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { TestServer } from '../workflows/runner-services.js';
import { buildClient, clientContent, removeClient } from './client-process.js';
import { examplesOf } from './guide-examples.js';

const VERSION = 'v1.4.0';
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

type Command = 'upload' | 'gate' | 'deploy';
const COMMANDS: readonly Command[] = ['upload', 'gate', 'deploy'];
type Texts = Readonly<Record<string, string>>;

/** A script with the variables of the template, for given inputs. */
interface Script {
  readonly text: string;
  readonly variables: Texts;
}

interface CiSystem {
  readonly name: string;
  readonly template: (command: Command) => string;
  /** Returns the script as the CI system does: with its inputs replaced and its own escapes removed. */
  readonly script: (text: string, command: Command, inputs: Texts) => Script;
  /** The variables that the system sets in each job. */
  readonly variables: (sha: string) => Texts;
  readonly stored: Readonly<Record<string, unknown>>;
}

const read = (file: string): string => readFileSync(path.join('integrations', file), 'utf8');

/** Replaces expressions. Throws for an input that the template does not describe, and for a missing required one. */
function evaluate(
  text: string,
  expression: RegExp,
  described: Readonly<Record<string, unknown>>,
  inputs: Texts,
): string {
  return text.replaceAll(expression, (_, name: string) => {
    const value = inputs[name] ?? described[name];
    if (typeof value !== 'string') throw new Error(`no value for ${name}`);
    return value;
  });
}

const defaultsOf = (
  described: Readonly<Record<string, { readonly default?: string } | null>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(described).map(([name, input]) => [name, input?.default]));

/** Names of inputs in Jenkins and Azure Pipelines have no hyphens. */
const camelCase = (inputs: Texts): Texts =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

interface BuildkitePipeline {
  readonly env?: Texts;
  readonly steps: readonly {
    readonly key?: string;
    readonly env?: Texts;
    readonly commands: readonly string[];
    readonly depends_on?: unknown;
    readonly secrets?: readonly string[];
  }[];
}

const PAGE = 'https://ci.example/runs/7';

const SYSTEMS: readonly CiSystem[] = [
  {
    name: 'GitLab',
    template: (command) => read(`gitlab/templates/${command}.yml`),
    script: (text, _, inputs) => {
      const [header, body] = parseAllDocuments(text).map((document) => document.toJS() as object);
      const { inputs: described } = (
        header as { readonly spec: { readonly inputs: Readonly<Record<string, { readonly default?: string }>> } }
      ).spec;
      const [job] = Object.values(body ?? {}) as { readonly script: readonly string[]; readonly variables: Texts }[];
      const variables = Object.entries(job?.variables ?? {}).map(([name, value]) => [
        name,
        evaluate(value, /\$\[\[ inputs\.([\w-]+) \]\]/g, defaultsOf(described), inputs),
      ]);
      return { text: job?.script.join('\n') ?? '', variables: Object.fromEntries(variables) as Texts };
    },
    variables: (sha) => ({
      GITLAB_CI: 'true',
      CI_COMMIT_SHA: sha,
      CI_COMMIT_REF_NAME: 'main',
      CI_PROJECT_PATH: 'group/payments',
      CI_JOB_NAME: 'shipgate-upload',
      CI_JOB_ID: '77',
      CI_PIPELINE_URL: PAGE,
    }),
    stored: { pipeline: 'group/payments', stated_job: 'shipgate-upload' },
  },
  {
    name: 'Jenkins',
    template: (command) => read(`jenkins/vars/shipgate${command.charAt(0).toUpperCase()}${command.slice(1)}.groovy`),
    script: (text, _, inputs) => {
      const given = camelCase(inputs);
      const variables = [...text.matchAll(/^ {4}"(\w+)=\$\{options\.(\w+)(?: \?: '(\w*)')?\}",$/gm)].map(
        ([, variable = '', name = '', preset]) => [
          variable,
          evaluate(`<${name}>`, /<(\w+)>/g, { [name]: preset }, given),
        ],
      );
      const [, script = ''] = /sh '''(#!\/bin\/sh\n.*)'''/s.exec(text) ?? [];
      // A backslash would be an escape in such a text of Groovy.
      expect(script).not.toContain('\\');
      return { text: script, variables: Object.fromEntries(variables) as Texts };
    },
    variables: (sha) => ({
      JENKINS_URL: 'https://jenkins.example/',
      GIT_COMMIT: sha,
      BRANCH_NAME: 'main',
      JOB_NAME: 'payments/main',
      STAGE_NAME: 'Tests',
      BUILD_URL: PAGE,
    }),
    stored: { pipeline: 'payments', stated_job: 'Tests' },
  },
  {
    name: 'CircleCI',
    template: () => read('circleci/orb.yml'),
    script: (text, command, inputs) => {
      const { commands } = parse(text) as {
        readonly commands: Readonly<
          Record<
            Command,
            {
              readonly parameters: Readonly<Record<string, { readonly default?: string }>>;
              readonly steps: readonly { readonly run: { readonly command: string; readonly environment: Texts } }[];
            }
          >
        >;
      };
      const { parameters, steps } = commands[command];
      const { run } = steps[0] ?? { run: { command: '', environment: {} } };
      const expression = /<< parameters\.([\w-]+) >>/g;
      return {
        text: evaluate(run.command, expression, defaultsOf(parameters), inputs),
        variables: Object.fromEntries(
          Object.entries(run.environment).map(([name, value]) => [
            name,
            evaluate(value, expression, defaultsOf(parameters), inputs),
          ]),
        ),
      };
    },
    variables: (sha) => ({
      CIRCLECI: 'true',
      CIRCLE_SHA1: sha,
      CIRCLE_BRANCH: 'main',
      CIRCLE_JOB: 'tests',
      CIRCLE_BUILD_NUM: '12',
      CIRCLE_WORKFLOW_WORKSPACE_ID: 'e5cbbbd3-cae7-4b8d-91ac-2f9d1a7f3c6a',
    }),
    stored: { pipeline: 'CircleCI', stated_job: 'tests' },
  },
  {
    name: 'Buildkite',
    template: (command) => read(`buildkite/${command}.yml`),
    script: (text, command, inputs) => {
      const { env: shared, steps } = parse(text) as BuildkitePipeline;
      const step = steps.find(({ key }) => key === `shipgate-${command}`);
      const script = step?.commands.join('\n') ?? '';
      // The agent would replace the variable with its value at the time when the pipeline is uploaded.
      expect(script.replaceAll('$$', '')).not.toContain('$');
      const names: Readonly<Record<string, string>> = { release: 'VERSION', 'cli-sha256': 'CLI_SHA256' };
      const given = Object.entries(inputs).map(([name, value]) => [
        `SHIPGATE_${names[name] ?? name.toUpperCase()}`,
        value,
      ]);
      return {
        text: script.replaceAll('$$', '$'),
        variables: { ...shared, ...step?.env, ...Object.fromEntries(given) },
      };
    },
    variables: (sha) => ({
      BUILDKITE: 'true',
      BUILDKITE_COMMIT: sha,
      BUILDKITE_BRANCH: 'main',
      BUILDKITE_PIPELINE_SLUG: 'payments',
      BUILDKITE_STEP_KEY: 'shipgate-upload',
      BUILDKITE_RETRY_COUNT: '0',
      BUILDKITE_BUILD_URL: PAGE,
    }),
    stored: { pipeline: 'payments', stated_job: 'shipgate-upload' },
  },
  {
    name: 'Azure Pipelines',
    template: (command) => read(`azure/${command}.yml`),
    script: (text, _, inputs) => {
      const { parameters, steps } = parse(text) as {
        readonly parameters: readonly { readonly name: string; readonly default?: string }[];
        readonly steps: readonly { readonly bash: string; readonly env: Texts }[];
      };
      const described = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.default]));
      const { SHIPGATE_API_KEY: key, ...env } = steps[0]?.env ?? {};
      expect(key).toBe('$(SHIPGATE_API_KEY)');
      return {
        text: steps[0]?.bash ?? '',
        variables: Object.fromEntries(
          Object.entries(env).map(([name, value]) => [
            name,
            evaluate(value, /\$\{\{ parameters\.(\w+) \}\}/g, described, camelCase(inputs)),
          ]),
        ),
      };
    },
    variables: (sha) => ({
      TF_BUILD: 'True',
      BUILD_SOURCEVERSION: sha,
      BUILD_SOURCEBRANCH: 'refs/heads/main',
      BUILD_DEFINITIONNAME: 'payments',
      BUILD_BUILDID: '7',
      SYSTEM_TEAMPROJECT: 'shop',
      SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
      SYSTEM_STAGENAME: '__default',
      SYSTEM_PHASENAME: 'Tests',
      SYSTEM_JOBNAME: '__default',
      SYSTEM_JOBDISPLAYNAME: 'Run the tests',
      SYSTEM_JOBATTEMPT: '1',
    }),
    stored: { pipeline: 'payments', stated_job: 'Tests' },
  },
];

let env: TestEnvironment;
let scenario: RepositoryScenario;
let server: TestServer;
let client: Buffer;
let candidate: string;
let sha: string;
let key: string;
let folder: string;

beforeAll(async () => {
  buildClient();
  client = clientContent();
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  scenario = new RepositoryScenario(env, { name: 'payments' });
  candidate = await scenario.approved('v1.0.0');
  scenario.milestone(VERSION);
  sha = scenario.commit();
  await env.waitUntilIdle();
  key = await env.key(['evidence:write', 'gate:read', 'deployment:write']);
  // Serves the command line of the present sources. The built one may be older or missing.
  server = await TestServer.answering(async (request, response) => {
    const [, file] = /^\/cli\/(.+)$/.exec(request.url ?? '') ?? [];
    if (file !== undefined) {
      response.end(file === 'shipgate.cjs' ? client : `${sha256(client)}  shipgate.cjs\n`);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...headers } = request.headers;
    const passed = await fetch(`${env.baseUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
  });
}, 240_000);
afterAll(async () => {
  removeClient();
  await server.stop();
  await env.stop();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-template-'));
  for (const name of ['work', 'bin', 'tmp']) mkdirSync(path.join(folder, name));
  // The agent of Buildkite: the artifact is already in the folder of the job.
  const agent = path.join(folder, 'bin/buildkite-agent');
  writeFileSync(agent, '#!/bin/sh\n[ "$1 $2" = "artifact download" ] && [ -f "$3" ]\n');
  chmodSync(agent, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string): void => writeFileSync(path.join(folder, 'work', name), content);

interface Outcome {
  readonly code: number | null;
  readonly log: string;
}

/** Runs the script of a template with the variables of its CI system, without those of this process. */
async function run(
  system: Pick<CiSystem, 'template' | 'script' | 'variables'>,
  command: Command,
  commit: string,
  inputs: Texts,
): Promise<Outcome> {
  const { text, variables } = system.script(system.template(command), command, { url: server.url, ...inputs });
  const file = path.join(folder, 'script');
  writeFileSync(file, text);
  const child = spawn(text.startsWith('#!/bin/sh') ? 'sh' : 'bash', [file], {
    cwd: path.join(folder, 'work'),
    env: {
      PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: '/nonexistent',
      TMPDIR: path.join(folder, 'tmp'),
      SHIPGATE_API_KEY: key,
      ...system.variables(commit),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, log };
}

describe.each(SYSTEMS.map((system) => [system.name, system] as const))('the templates for %s', (_, system) => {
  const upload = (inputs: Texts): Promise<Outcome> =>
    run(system, 'upload', sha, { repo: 'acme/payments', release: VERSION, ...inputs });
  const gate = (inputs: Texts, commit = candidate): Promise<Outcome> =>
    run(system, 'gate', commit, { repo: 'acme/payments', release: 'v1.0.0', wait: '', ...inputs });
  const deploy = (inputs: Texts, commit: string): Promise<Outcome> =>
    run(system, 'deploy', commit, { release: 'v1.0.0', environment: 'production', ...inputs });
  const evidenceOf = ({ log }: Outcome): Promise<readonly object[]> => {
    const [, id = ''] = /^Stored: ([0-9a-f-]{36}), /m.exec(log) ?? [];
    return env.asSuperuser(
      `select pipeline, environment, stated_job, (select count(*)::integer from evidence_report where evidence_id = e.id) as reports
         from evidence e where id::text = '${id}'`,
    );
  };

  it('upload what the patterns match, with what the CI system says about the job', async () => {
    write('junit.xml', junit(3, 0));
    write('my-unit.xml', junit(4, 0));
    const outcome = await upload({ files: 'junit.xml my-*.xml', environment: `of ${system.name}` });
    expect(outcome).toMatchObject({ code: 0, log: expect.stringContaining('2 files for v1.4.0') });
    expect(await evidenceOf(outcome)).toEqual([{ ...system.stored, environment: `of ${system.name}`, reports: 2 }]);
    expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  });

  it('fail if a file is missing or Shipgate refuses it', async () => {
    write('junit.xml', '<testsuites');
    expect((await upload({ files: 'junit.xml other.xml' })).code).toBe(2);
    expect((await upload({ files: 'junit.xml' })).code).toBe(1);
  });

  it('pass the gate only if it is open at this commit', async () => {
    expect(await gate({})).toMatchObject({ code: 0, log: expect.stringContaining('is open (DEPLOYMENT)') });
    expect(await gate({ wait: '1s' }, sha)).toMatchObject({ code: 1, log: expect.stringContaining('is closed') });
    expect((await gate({ release: 'v9.9.9' })).code).toBe(3);
  });

  it('deploy only what may be deployed, and report how it ended', async () => {
    const repo = new RepositoryScenario(env, { name: `deployed-by-${system.name.toLowerCase().replaceAll(' ', '-')}` });
    const approved = await repo.approved('v1.0.0');
    const inputs = { repo: repo.repository.fullName, command: 'echo "$SHIPGATE_ENVIRONMENT"\necho deployed >> out' };
    const reports = (): Promise<readonly object[]> =>
      env.asSuperuser(`select status from deployment_report where repository_id = '${repositoryId}' order by id`);
    const repositoryId = await repo.repositoryId();
    const out = path.join(folder, 'work/out');
    expect(await deploy(inputs, repo.commit())).toMatchObject({ code: 1, log: expect.stringContaining('is closed') });
    expect([existsSync(out), await reports()]).toEqual([false, []]);
    expect((await deploy({ ...inputs, command: 'exit 7\necho deployed >> out' }, approved)).code).toBe(7);
    expect([existsSync(out), await reports()]).toEqual([false, [{ status: 'started' }, { status: 'failed' }]]);
    expect(await deploy(inputs, approved)).toMatchObject({ code: 0, log: expect.stringContaining('production\n') });
    expect(readFileSync(out, 'utf8')).toBe('deployed\n');
    expect(await env.asSuperuser(`select kind from deployment_record where repository_id = '${repositoryId}'`)).toEqual(
      [{ kind: 'release' }],
    );
  });

  it('run no other command line than the one with the stated digest', async () => {
    write('junit.xml', junit(5, 0));
    const wrong = { 'cli-sha256': 'a'.repeat(64), environment: 'never' };
    const deployed = await deploy({ ...wrong, repo: 'acme/payments', command: 'echo is open' }, candidate);
    for (const outcome of [await upload({ files: 'junit.xml', ...wrong }), await gate(wrong), deployed]) {
      expect(outcome.code).toBe(3);
      expect(outcome.log).toContain(`does not have the SHA-256 ${'a'.repeat(64)}.`);
      expect(outcome.log).not.toMatch(/Stored|is open/);
    }
    expect((await gate({ 'cli-sha256': sha256(client) })).code).toBe(0);
  });

  it('print no secret', async () => {
    write('junit.xml', junit(6, 0));
    const outcomes = [await upload({ files: 'junit.xml' }), await gate({})];
    for (const { log } of outcomes) expect(log).not.toContain(key);
  });
});

it('all templates run the same scripts', () => {
  const inputs = { url: 'x', repo: 'x', files: 'x', environment: 'x', command: 'x' };
  for (const command of COMMANDS) {
    const scripts = SYSTEMS.map(({ template, script }) =>
      script(template(command), command, inputs)
        .text.replace(/^#!.*\n|^buildkite-agent .*\n/, '')
        .trimEnd(),
    );
    expect(new Set(scripts).size).toBe(1);
  }
});

describe('the download of the command line', () => {
  const gateAt = (url: string): Promise<Outcome> =>
    run(SYSTEMS[0]!, 'gate', candidate, { repo: 'acme/payments', release: 'v1.0.0', wait: '', url });

  it('ends with 3 if there is no digest, and does not blame the command line', async () => {
    const other = await TestServer.answering((request, response) => {
      if (request.url?.endsWith('.sha256') === true) response.statusCode = 404;
      response.end(client);
    });
    const { code, log } = await gateAt(other.url);
    await other.stop();
    expect([code, log]).toEqual([3, expect.stringContaining('404')]);
    expect(log).not.toContain('does not have the SHA-256');
  });

  it('is tried again while the connection is refused', async () => {
    const closed = await TestServer.answering(() => undefined);
    const { url } = closed;
    await closed.stop();
    const outcome = gateAt(url);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const forward = createServer((request, response) => {
      void fetch(`${server.url}${request.url}`, { headers: { authorization: `Bearer ${key}` } }).then(async (answer) =>
        response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
      );
    }).listen(Number(new URL(url).port), '127.0.0.1');
    expect(await outcome).toMatchObject({ code: 0, log: expect.stringContaining('is open') });
    forward.closeAllConnections();
    forward.close();
  }, 60_000);

  it('ends with 3, and not with the exit code of curl, if the service stays away', async () => {
    expect((await gateAt('http://127.0.0.1:9')).code).toBe(3);
  }, 90_000);
});

describe('the templates', () => {
  const job = (command: Command): Readonly<Record<string, unknown>> => {
    const [, body] = parseAllDocuments(read(`gitlab/templates/${command}.yml`));
    return Object.values(body?.toJS() as object)[0] as Readonly<Record<string, unknown>>;
  };

  it('upload the results of failing tests, too', () => {
    const orb = parse(read('circleci/orb.yml')) as {
      readonly commands: { readonly upload: { readonly steps: readonly { readonly run: unknown }[] } };
    };
    const azure = parse(read('azure/upload.yml')) as { readonly steps: readonly unknown[] };
    const buildkite = parse(read('buildkite/upload.yml')) as { readonly steps: readonly object[] };
    expect(job('upload')).toMatchObject({ when: 'always', needs: '$[[ inputs.needs ]]' });
    expect(orb.commands.upload.steps[0]?.run).toMatchObject({ when: 'always' });
    expect(azure.steps[0]).toMatchObject({ condition: 'succeededOrFailed()' });
    expect(buildkite.steps[1]).toMatchObject({ depends_on: [{ step: 'tests', allow_failure: true }] });
  });

  it('let no deployment go on after a gate that failed', () => {
    const buildkite = parse(read('buildkite/gate.yml')) as { readonly steps: readonly object[] };
    expect(buildkite.steps[1]).toMatchObject({ depends_on: 'shipgate-gate' });
    expect(job('gate')).not.toHaveProperty('allow_failure');
    for (const file of readdirSync('integrations', { recursive: true, encoding: 'utf8' }).filter((name) =>
      /gate|deploy/i.test(name),
    )) {
      expect(read(file)).not.toMatch(/soft_fail|allow_failure|continueOnError|\|\| true|returnStatus/);
    }
  });
});

describe('the example of the guide for Buildkite', () => {
  const [pipeline = ''] = examplesOf('Buildkite');
  const system: CiSystem = {
    ...SYSTEMS.find(({ name }) => name === 'Buildkite')!,
    template: () => pipeline,
    script: (text, command, inputs) => {
      const script = SYSTEMS.find(({ name }) => name === 'Buildkite')!.script(text, command, inputs);
      // The agent ends a step with the first command that fails.
      return { ...script, text: `set -e\n${script.text}` };
    },
  };
  const start = (command: Command, commit: string, release: string): Promise<Outcome> =>
    run(system, command, commit, { repo: 'acme/payments', release });

  it('uploads, and checks the gate', async () => {
    write('junit.xml', junit(7, 0));
    const outcome = await start('upload', sha, VERSION);
    expect(outcome).toMatchObject({ code: 0, log: expect.stringContaining('1 file for v1.4.0') });
    expect(await start('gate', candidate, 'v1.0.0')).toMatchObject({
      code: 0,
      log: expect.stringContaining('is open'),
    });
  });

  it('ends with an error without a report or without the command line', async () => {
    expect((await start('upload', sha, VERSION)).code).not.toBe(0);
    write('junit.xml', junit(7, 0));
    for (const command of COMMANDS) {
      const lost = await run(system, command, candidate, { repo: 'acme/payments', url: 'http://127.0.0.1:9' });
      expect(lost.code).not.toBe(0);
      expect(lost.log).not.toMatch(/Stored|is open/);
    }
  });

  it('uploads after failing tests too, and deploys only after the gate', () => {
    const { steps } = parse(pipeline) as BuildkitePipeline;
    expect(steps.map((step) => [step.key, step.depends_on, step.secrets])).toEqual([
      ['tests', undefined, undefined],
      ['shipgate-upload', [{ step: 'tests', allow_failure: true }], ['SHIPGATE_API_KEY']],
      ['shipgate-gate', 'shipgate-upload', ['SHIPGATE_API_KEY']],
      ['shipgate-deploy', 'shipgate-gate', ['SHIPGATE_API_KEY']],
    ]);
  });
});

describe('the example of the guide for a plain shell', () => {
  it('uploads, and deploys only what may be deployed', async () => {
    const [script = ''] = examplesOf('Any other system');
    const plain = (version: string, commit: string, left: RegExp | string = ''): Promise<Outcome> => {
      const git = path.join(folder, 'bin/git');
      writeFileSync(
        git,
        `#!/bin/sh\n[ "$1" = rev-parse ] && echo ${commit} || { echo 'not a git repository' >&2; exit 128; }\n`,
      );
      chmodSync(git, 0o755);
      write('deploy.sh', '#!/bin/sh\necho deployed\n');
      chmodSync(path.join(folder, 'work/deploy.sh'), 0o755);
      write('junit.xml', junit(2, 0));
      const text = script
        .replace(left, '')
        .replaceAll('https://shipgate.example', server.url)
        .replaceAll('v1.4.0', version);
      const system = { script: () => ({ text, variables: {} }), template: () => '', variables: () => ({ BUILD: '7' }) };
      return run(system, 'gate', commit, {});
    };
    const closed = await plain(VERSION, sha);
    expect(closed).toMatchObject({ code: 1, log: expect.stringMatching(/^Stored: .*is closed/ms) });
    expect(closed.log).not.toContain('deployed');
    // New evidence of an approved candidate would close the gate.
    const open = await plain('v1.0.0', candidate, /^node shipgate\.cjs upload .*\\\n.*\n/m);
    expect(open).toMatchObject({ code: 0, log: expect.stringMatching(/is open.*^deployed$/ms) });
    expect(open.log).not.toContain('Stored');
  });
});
