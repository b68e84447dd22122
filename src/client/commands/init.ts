import { accessSync, constants, existsSync, lstatSync, mkdirSync, type Stats, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { starterPolicy } from '../../policy-document/starter-policy.js';
import { ciLines } from '../ci-lines.js';
import { suggestion } from '../command-line.js';
import { repositoryOfAddress } from '../ci-environment.js';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { INIT_SYSTEMS, type InitSystem } from '../command-table.js';
import { fileProblem } from '../file-problem.js';
import { plainText } from '../plain-text.js';
import { serviceAddress } from '../settings.js';
import { gitEnvironment } from '../upload/select-files.js';
import type { CommandContext } from './command-context.js';

const POLICY = 'sdlc.yaml';
/** An address that is reserved for examples (RFC 2606). */
const PLACEHOLDER = 'https://shipgate.example';

/** The service takes a name without its owner, too. */
const REPOSITORY = /^[\w.-]+(?:\/[\w.-]+)?$/;

/** The files by which a system is found, in this order. */
const TRACES: readonly (readonly [string, InitSystem])[] = [
  ['.gitlab-ci.yml', 'gitlab'],
  ['Jenkinsfile', 'jenkins'],
  ['.circleci', 'circleci'],
  ['.buildkite', 'buildkite'],
  ['azure-pipelines.yml', 'azure'],
  ['.github/workflows', 'github'],
];

/** Writes a first policy and the lines for CI. A file that exists is not changed without `--force`, and a link never. */
export async function init(context: CommandContext): Promise<CommandResult> {
  const { args, env, cwd } = context;
  const system = readSystem(context);
  const given = args.text('url') ?? env['SHIPGATE_URL'];
  const url = given === undefined || given === '' ? PLACEHOLDER : quotable(serviceAddress(given, env));
  const repository = findRepository(context);
  const name = (repository ?? path.basename(path.resolve(cwd))).replace(/^.*\//, '');
  const placeholder = `OWNER/${REPOSITORY.test(name) ? name : 'NAME'}`;
  const lines = ciLines(system, url, repository ?? placeholder);
  const files = [
    { file: POLICY, text: starterPolicy(name, `${url}/api/schemas/sdlc.v1.json`) },
    ...(lines.file === null ? [] : [{ file: lines.file, text: lines.text }]),
  ];
  const isForced = args.flag('force');
  const kept = isForced ? [] : files.filter(({ file }) => findStats(path.join(cwd, file)) !== null);
  const written = files.filter((file) => !kept.includes(file));
  // All files are checked first, so that none is written if another one cannot be.
  for (const { file } of written) checkPlace(cwd, file);
  for (const { file, text } of written) write(cwd, file, text);
  const names = (list: typeof files): readonly string[] => list.map(({ file }) => file);
  return {
    exit: EXIT.yes,
    outcome: written.length === 0 ? 'unchanged' : 'written',
    members: { system, written: names(written), kept: names(kept), ci_lines: lines.text, next: lines.next },
    lines: [
      ...names(written).map((file) => `Written: ${file}`),
      ...names(kept).map((file) => `Not changed, because it exists: ${file}. Use --force to replace it.`),
      ...(lines.file === null ? ['', lines.text.trimEnd(), ''] : []),
      `Next: ${lines.next}`,
      ...(url === PLACEHOLDER ? [`Replace ${PLACEHOLDER} by the address of your Shipgate, or use --url.`] : []),
      ...(lines.text.includes(placeholder) ? [`Replace ${placeholder} by the repository on GitHub.`] : []),
      `Check the policy with \`shipgate lint\`, and the connection with \`shipgate doctor\`.`,
    ],
  };
}

function readSystem({ args, cwd }: CommandContext): InitSystem {
  const given = args.text('ci');
  if (given === undefined) return TRACES.find(([trace]) => existsSync(path.join(cwd, trace)))?.[1] ?? 'github';
  const system = INIT_SYSTEMS.find((one) => one === given);
  if (system === undefined) {
    throw usageError(`--ci must be one of ${INIT_SYSTEMS.join(', ')}.${suggestion(given, INIT_SYSTEMS)}`);
  }
  return system;
}

/** Returns the repository of the variables, of CI, or of the remote `origin`; undefined if none names one on GitHub. */
function findRepository({ env, cwd, ci }: CommandContext): string | undefined {
  const given = env['SHIPGATE_REPO'] || ci.repository;
  if (given !== undefined && !REPOSITORY.test(given)) throw usageError('SHIPGATE_REPO must be OWNER/NAME.');
  if (given !== undefined) return given;
  const { stdout } = spawnSync('git', ['-C', cwd, 'remote', 'get-url', 'origin'], {
    encoding: 'utf8',
    env: gitEnvironment(env),
  });
  return repositoryOfAddress(stdout?.trim());
}

/** Returns an address that can be within single quotes in YAML, Groovy and a shell. */
const quotable = (url: string): string => url.replaceAll("'", '%27').replaceAll('$', '%24');

/** Returns what is at a path, without following a link; null if there is nothing. */
function findStats(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw notWritable(file, fileProblem(error));
  }
}

const notWritable = (file: string, problem: string): Error =>
  usageError(`${plainText(file)} cannot be written: ${problem}.`);

/** Throws a usage error if a file cannot be written at its place. A link is never followed, because its target may be anywhere. */
function checkPlace(cwd: string, file: string): void {
  const parts = file.split('/');
  let last = path.resolve(cwd);
  for (const [at, part] of parts.entries()) {
    const next = path.join(last, part);
    const stat = findStats(next);
    if (stat === null) break;
    const isFile = at === parts.length - 1;
    if (stat.isSymbolicLink()) throw notWritable(file, `${plainText(part)} is a link`);
    if (isFile && !stat.isFile()) throw notWritable(file, 'it is no file');
    if (!isFile && !stat.isDirectory()) throw notWritable(file, 'a part of its path is not a folder');
    last = next;
  }
  try {
    accessSync(last, constants.W_OK);
  } catch (error) {
    throw notWritable(file, fileProblem(error));
  }
}

function write(cwd: string, file: string, text: string): void {
  const target = path.join(cwd, file);
  try {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text, { flag: findStats(target) === null ? 'wx' : 'w' });
  } catch (error) {
    throw notWritable(file, fileProblem(error));
  }
}
