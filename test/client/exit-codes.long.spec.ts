import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../src/client/command-table.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { givenPackFiles, givenSigner, keySetOfSigner, packOf } from '../support/given-pack.js';
import { givenSigner as givenStatementSigner, givenStatement } from '../support/given-statement.js';
import { TestServer } from '../workflows/runner-services.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const NOWHERE = 'http://127.0.0.1:9';
const REPORT = '<testsuite name="s"><testcase name="a"/></testsuite>';
const [KEY, PERSONAL] = [keySecret('sgk', new Uint8Array(32)), keySecret('sgp', new Uint8Array(32))];
const SECRET = 'canary-0123456789';
const MISTYPED = `${KEY.slice(0, -1)}x`;
const OF_ANOTHER_AUDIENCE = `e30.${Buffer.from('{"aud":"sigstore"}').toString('base64url')}.c2ln`;

type Env = Readonly<Record<string, string>>;
type Args = readonly string[];

const UPLOAD: Args = ['upload', 'junit.xml', '--release', 'v1', '--pipeline', 'p', '--commit', SHA];
const UPLOAD_AUTO: Args = ['upload', 'junit.xml', '--pipeline', 'p', '--commit', SHA];
const GATE: Args = ['gate', '--release', 'v1', '--sha', SHA];
const GATE_AUTO: Args = ['gate', '--sha', SHA];
const LIST: Args = ['release', 'list'];
const START: Args = ['release', 'start', 'v1'];
const REMOTE: Args = ['policy', 'check', '--remote', '--commit', SHA];
const DOCTOR: Args = ['doctor'];
/** Every command that asks the service for something. */
const ONLINE = [UPLOAD, UPLOAD_AUTO, GATE, GATE_AUTO, LIST, START, REMOTE, DOCTOR];
const BUILDS_NONE = { version: null, because: 'It builds none.', candidates: [] };
const MERGED: Env = { CI_COMMIT_REF_NAME: '' };

let folder: string;
let server: TestServer;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const LISTED = { milestoneId: 'm', org: 'a', repo: 'b', version: 'v1', stage: 'PLANNING' };

/** The answers of a service in which everything is in order. */
const ANSWERS: readonly (readonly [RegExp, unknown])[] = [
  [/health\/ready/, { status: 'ready' }],
  [/config\/ci/, { version: '0.1.0', audience: 'shipgate', issuer: 'https://issuer.example' }],
  [/api\/credential/, { scopes: ['evidence:write', 'gate:read'], repos: null, expiresAt: null }],
  [/milestones\/resolve/, { version: 'v1', because: 'It is the only one.' }],
  [/milestones\/check/, { version: 'v1', can_deploy: true, current_stage: 'DEPLOYMENT', reasons: [], overrides: [] }],
  [/policy\/check/, { status: 'valid', problems: [] }],
  [/upload-report/, { evidenceId: 'e', effect: 'decides', message: 'It counts.' }],
  [/milestones\/a\/b/, { milestones: [LISTED], pagination: { pages: 1 } }],
  [/milestones\/m\/start/, LISTED],
  [/dashboard/, { releases: [LISTED], pagination: { pages: 1 } }],
];
/** The requests on which the answer of a command depends: not those before it. */
const DECISIVE = /upload-report|milestones\/(check|resolve|m\/start)|policy\/check|dashboard/;

/** Answers like a service in order, but for the decisive requests of a command. */
const instead =
  (of: (response: ServerResponse) => void, decisive = DECISIVE) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '';
    request.resume().once('end', () => {
      if (decisive.test(url)) return of(response);
      return json(response, 200, ANSWERS.find(([pattern]) => pattern.test(url))?.[1]);
    });
  };
const status = (code: number, decisive = DECISIVE): void => {
  answer = instead((response) => json(response, code, { error: 'A sentence.' }), decisive);
};
const inOrder = (): void => {
  answer = instead(() => undefined, /^$/);
};

const run = (args: Args, env: Env = {}): Promise<ClientOutcome> =>
  shipgate(args, {
    cwd: folder,
    env: {
      SHIPGATE_URL: server.url,
      SHIPGATE_API_KEY: KEY,
      SHIPGATE_PERSONAL_KEY: PERSONAL,
      SHIPGATE_REPO: 'a/b',
      SHIPGATE_RETRY_FOR: '0s',
      GITLAB_CI: 'true',
      CI_COMMIT_REF_NAME: 'release/v1',
      CI_PIPELINE_URL: 'https://gitlab.example/p/1',
      ...env,
    },
  });

beforeAll(async () => {
  buildClient();
  server = await TestServer.answering((request, response) => answer(request, response));
});
afterAll(async () => {
  removeClient();
  await server.stop();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-exit-'));
  write('junit.xml', REPORT);
  inOrder();
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(path.join(folder, name), content);
  return name;
}

async function pack(change: (bytes: Buffer) => void = () => undefined): Promise<readonly string[]> {
  const signer = givenSigner();
  const bytes = Buffer.from(await packOf(signer, givenPackFiles(signer)));
  change(bytes);
  write('keys.json', JSON.stringify(keySetOfSigner(signer)));
  return [write('pack.zip', bytes), '--keys', 'keys.json'];
}

/** Runs each call in turn and returns its arguments with its exit code. */
async function codesOf(
  calls: readonly (readonly [Args, Env?])[],
): Promise<readonly (readonly [string, number | null])[]> {
  const codes: (readonly [string, number | null])[] = [];
  for (const [args, env] of calls) {
    const { code, json: document } = await run([...args, '--json'], env);
    expect(document['exit']).toBe(code);
    codes.push([args.join(' '), code]);
  }
  return codes;
}

/** The calls of a cause. Each must end with the exit code of the cause. */
type Calls = () => Promise<readonly (readonly [Args, Env?])[]> | readonly (readonly [Args, Env?])[];

/** Every cause of the table in the guide, in its order. */
const CAUSES: readonly (readonly [number, string, Calls])[] = [
  [0, 'the evidence is stored, also if it was stored before', () => [[UPLOAD], [UPLOAD_AUTO]]],
  [0, 'the gate is open at this commit', () => [[GATE], [GATE_AUTO]]],
  [
    0,
    'there is nothing to upload: a pull request of a fork, a branch without a release, or no file with `--allow-empty`',
    () => {
      answer = instead((response) => json(response, 200, BUILDS_NONE), /resolve/);
      return [[UPLOAD_AUTO], [['upload', '*.none', '--allow-empty']]];
    },
  ],
  [
    0,
    'the policy is valid, the pack is intact, the change is made, `doctor` found nothing wrong',
    async () => {
      write('sdlc.yaml', 'version: v1\n');
      return [
        [['lint']],
        [['policy', 'check']],
        [REMOTE],
        [['verify-pack', ...(await pack())]],
        [LIST],
        [START],
        [DOCTOR],
      ];
    },
  ],
  [
    1,
    'the gate is closed; `deploy` ran nothing',
    () => {
      answer = instead((response) => json(response, 200, { version: 'v1', can_deploy: false, reasons: [] }), /check/);
      return [[GATE], [GATE_AUTO]];
    },
  ],
  [
    1,
    'a statement is not valid, or not about what is expected',
    () => {
      const signer = givenStatementSigner();
      write('keys.json', JSON.stringify(keySetOfSigner(signer)));
      write('statement.json', JSON.stringify(givenStatement(signer)));
      const expected = [
        '--key',
        'keys.json',
        '--resource',
        'https://other.example/',
        '--verifier',
        'https://other.example',
      ];
      return [[['verify-statement', 'statement.json', '--commit', SHA, ...expected]]];
    },
  ],
  [
    1,
    'the files are rejected: a report that cannot be read, or too much at once',
    () => {
      status(413, /upload-report/);
      write('cut.xml', '<testsuite><testcase');
      write('large.xml', Buffer.alloc(11 * 1_048_576, 0x20));
      return [
        [UPLOAD],
        [['upload', 'cut.xml', '--dry-run', '--release', 'v1', '--pipeline', 'p']],
        [['upload', 'large.xml', '--release', 'v1', '--pipeline', 'p']],
      ];
    },
  ],
  [
    1,
    'Shipgate rejects the change (402, 409, 413, 415, 422), for example because the release is shipped',
    () => {
      status(409, /upload-report|start/);
      return [[UPLOAD], [UPLOAD_AUTO], [START]];
    },
  ],
  [
    1,
    'the verdict does not rest on the upload, also because nothing was uploaded, and `--require-effect` is set',
    async () => {
      answer = instead((response) => json(response, 200, BUILDS_NONE), /resolve/);
      const codes = await codesOf([
        [[...UPLOAD_AUTO, '--require-effect']],
        [['upload', '*.none', '--allow-empty', '--require-effect']],
      ]);
      expect(codes.filter(([, code]) => code !== 1)).toEqual([]);
      answer = instead((response) => json(response, 201, { evidenceId: 'e', effect: 'superseded' }), /upload-report/);
      return [[[...UPLOAD, '--require-effect']], [UPLOAD, { SHIPGATE_REQUIRE_EFFECT: 'true' }]];
    },
  ],
  [
    1,
    'the policy is not valid, or the pack is not intact',
    async () => {
      write('sdlc.yaml', 'version: v2\n');
      answer = instead((response) => json(response, 200, { status: 'invalid', problems: [] }), /policy\/check/);
      const changed = await pack((bytes) => bytes.writeUInt8((bytes[bytes.length >> 1] ?? 0) ^ 1, bytes.length >> 1));
      return [[['lint']], [['policy', 'check']], [REMOTE], [['verify-pack', ...changed]]];
    },
  ],
  [
    2,
    'an option, an argument or a value is wrong, by this tool or by Shipgate (400)',
    () => {
      status(400);
      return [
        ...Object.keys(COMMANDS).map((name) => [[name, '--nonsense']] as const),
        ...Object.keys(COMMANDS).map((name) => [[name, '--url']] as const),
        ...Object.keys(COMMANDS).map((name) => [[name, '--url=']] as const),
        ...ONLINE.map((args) => [args] as const),
        [['gaet']],
        [['gate', 'v1']],
        ...[UPLOAD_AUTO, GATE_AUTO].map((args) => [args, { SHIPGATE_VERSION: '' }] as const),
        [[...GATE, '--sha', 'abc']],
        [['doctor', '--commit', 'abc']],
        [['completion', 'csh']],
        [['init', '--ci', 'none']],
        [['upload', 'junit.xml', '--dry-run', '--release', 'v1', '--pipeline', 'p', '--kind', 'none']],
      ];
    },
  ],
  [
    2,
    'a file is missing, committed or cannot be read',
    () => {
      mkdirSync(path.join(folder, 'folder.yaml'));
      for (const args of [
        ['init', '-q'],
        ['add', 'junit.xml'],
      ])
        spawnSync('git', args, { cwd: folder });
      return [
        [['upload', '*.none']],
        [UPLOAD],
        [['lint', 'none.yaml']],
        [['lint', 'folder.yaml']],
        [['verify-pack', 'none.zip']],
        [['verify-pack', 'junit.xml', '--keys', 'none.json']],
        [GATE, { SHIPGATE_API_KEY: '', SHIPGATE_API_KEY_FILE: 'none' }],
        [DOCTOR, { SHIPGATE_API_KEY: '', SHIPGATE_API_KEY_FILE: 'none' }],
      ];
    },
  ],
  [
    2,
    'the address, the credential, the permission `id-token: write`, the repository or the commit is missing',
    () => [
      ...[UPLOAD, GATE, LIST, REMOTE, DOCTOR].map((args) => [args, { SHIPGATE_URL: '' }] as const),
      ...[UPLOAD, GATE, REMOTE, DOCTOR].map((args) => [args, { SHIPGATE_API_KEY: '' }] as const),
      ...[UPLOAD, GATE, REMOTE, DOCTOR].map(
        (args) => [args, { SHIPGATE_API_KEY: '', GITLAB_CI: '', GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '1' }] as const,
      ),
      [LIST, { SHIPGATE_PERSONAL_KEY: '' }],
      ...[UPLOAD, GATE, REMOTE, START, DOCTOR].map((args) => [args, { SHIPGATE_REPO: '' }] as const),
      [['gate', '--release', 'v1']],
      [['policy', 'check', '--remote']],
    ],
  ],
  [
    2,
    'a key is incomplete, mistyped or of the other kind; it is not sent',
    () => [
      ...[UPLOAD, GATE, REMOTE, DOCTOR].flatMap((args) =>
        [MISTYPED, PERSONAL].map((key) => [args, { SHIPGATE_API_KEY: key }] as const),
      ),
      ...[LIST, START, DOCTOR].map((args) => [args, { SHIPGATE_PERSONAL_KEY: KEY }] as const),
    ],
  ],
  [
    2,
    'several releases are possible, or CI names no branch: name the release',
    () => {
      const several = { ...BUILDS_NONE, candidates: ['v1', 'v2'] };
      answer = instead((response) => json(response, 200, several), /resolve/);
      return [[UPLOAD_AUTO], [GATE_AUTO], [UPLOAD_AUTO, MERGED], [GATE_AUTO, MERGED]];
    },
  ],
  [
    3,
    'Shipgate cannot be reached, or answers 408, 429 or 5xx to the end',
    async () => {
      status(503);
      const codes = await codesOf(ONLINE.map((args) => [args] as const));
      expect(codes.filter(([, code]) => code !== 3)).toEqual([]);
      status(429);
      return [
        ...ONLINE.map((args) => [args] as const),
        ...ONLINE.map((args) => [args, { SHIPGATE_URL: NOWHERE }] as const),
      ];
    },
  ],
  [
    3,
    'the credential is not accepted (401) or not for this (403)',
    async () => {
      status(401, /upload-report|milestones|policy|dashboard|credential/);
      const codes = await codesOf(ONLINE.map((args) => [args] as const));
      expect(codes.filter(([, code]) => code !== 3)).toEqual([]);
      const scopes = ['evidence:write'];
      answer = instead((response) => json(response, 200, { scopes, repos: null, expiresAt: null }), /credential/);
      expect(await codesOf([[DOCTOR]])).toEqual([['doctor', 3]]);
      inOrder();
      const token = { SHIPGATE_API_KEY: '', SHIPGATE_ID_TOKEN: OF_ANOTHER_AUDIENCE };
      expect(await codesOf([[DOCTOR, token]])).toEqual([['doctor', 3]]);
      status(403);
      return ONLINE.map((args) => [args] as const);
    },
  ],
  [
    3,
    'the release or the repository is not known to Shipgate, or not to this credential (404)',
    () => {
      status(404, /upload-report|milestones|policy\/check/);
      return [UPLOAD, UPLOAD_AUTO, GATE, GATE_AUTO, START, REMOTE, DOCTOR].map((args) => [args] as const);
    },
  ],
  [
    3,
    'the gate is asked for a branch without a release, or by a pull request of a fork',
    () => {
      answer = instead((response) => json(response, 200, BUILDS_NONE), /resolve/);
      return [[GATE_AUTO]];
    },
  ],
  [
    3,
    'the answer is not one of Shipgate: a redirect, a sign-in page, half an answer',
    async () => {
      answer = instead((response) => void response.writeHead(302, { location: 'https://a.example/' }).end(), /./);
      const codes = await codesOf(ONLINE.map((args) => [args] as const));
      expect(codes.filter(([, code]) => code !== 3)).toEqual([]);
      answer = instead((response) => void response.end('<html>Sign in</html>'), /./);
      return ONLINE.map((args) => [args] as const);
    },
  ],
  [
    3,
    'the pack is of an unknown signer, or has decisions of other rules',
    async () => [[['verify-pack', (await pack())[0] ?? '']]],
  ],
];

/** The rows of the table in the guide for which the command line has no process of its own. */
const OTHERS: readonly (readonly [number, string])[] = [
  [3, 'the command line cannot be downloaded, or does not have the stated SHA-256 (templates)'],
];

describe('the exit codes', () => {
  it('are those of the guide, each cause with one', () => {
    const guide = readFileSync('docs/guides/ci.md', 'utf8');
    const [, section = ''] = /^### Exit codes\n(.*?)^##/ms.exec(guide) ?? [];
    const rows = [...section.matchAll(/^\| (\d) +\| (.*?) +\|$/gm)].map(([, code, cause]) => [Number(code), cause]);
    expect(rows).toEqual([...CAUSES.map(([code, cause]) => [code, cause]), ...OTHERS]);
  });

  it.each(CAUSES)('%i: %s', async (code, _, calls) => {
    const codes = await codesOf(await calls());
    expect(codes.filter(([, found]) => found !== code)).toEqual([]);
  });
});

describe('the messages', () => {
  it.each<[string, Args, Env, string]>([
    ['a value that is missing', ['gate', '--release'], {}, '--release needs a value: --release VERSION.'],
    ['an option for a value', ['gate', '--wait', '--json'], {}, '--wait needs a value, but the option --json follows.'],
    ['a value too many', ['gate', '--any-sha=yes'], {}, '--any-sha takes no value.'],
    ['a short option', ['gate', '-x'], {}, 'Unknown option -x.'],
    ['a misspelled option', ['gate', '--relase', 'v1'], {}, 'Unknown option --relase. Did you mean --release?'],
    ['a file that does not exist', ['lint', 'none.yaml'], {}, 'none.yaml cannot be read: it does not exist.'],
    ['a folder for a file', ['lint', '.'], {}, '. cannot be read: it is a folder.'],
    ['a pack that does not exist', ['verify-pack', 'none.zip'], {}, 'The pack cannot be read: it does not exist.'],
    ['a refused connection', GATE, { SHIPGATE_URL: NOWHERE }, '127.0.0.1:9 refuses the connection.'],
    ['an argument that is a key', ['gate', KEY], {}, '"***" is not expected.'],
    ['an argument that is the secret of a variable', ['gate', SECRET], { SHIPGATE_ID_TOKEN: SECRET }, '"***" is not'],
    ['a command that is a mistyped key', [MISTYPED], {}, 'Unknown command "***".'],
    ['a command that is a token', [OF_ANOTHER_AUDIENCE.replace('e30', 'eyJ9')], {}, 'Unknown command "***".'],
    ['a release that is empty', GATE_AUTO, { SHIPGATE_VERSION: ' ' }, 'SHIPGATE_VERSION is empty. Is a variable'],
    ['an unknown name', GATE, { SHIPGATE_URL: 'https://shipgate.invalid' }, 'The name shipgate.invalid'],
  ])('name %s in our own words', async (_, args, env, sentence) => {
    const { code, stderr } = await run(args, env);
    expect(code).not.toBe(0);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('?.');
    expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b|ERR_|UND_|getaddrinfo|connect E|ambiguous|argument missing|fault of/);
  });
});
