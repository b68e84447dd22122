import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PolicyProblem } from '../../domain/policy/policy.js';
import { readPolicyDocument } from '../../policy-document/policy-document.js';
import { SDLC_V1_SCHEMA } from '../../policy-document/sdlc.v1.schema.js';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { fileProblem } from '../file-problem.js';
import { plainText } from '../plain-text.js';
import { answerError, ServiceClient } from '../service/service-client.js';
import { type CommandContext, parseCommit, getRepository } from './command-context.js';

const DEFAULT_FILE = 'sdlc.yaml';
const ANSWER_MS = 15_000;
const BUDGET_MS = 120_000;

/** Checks a policy file as Shipgate reads it, or prints the JSON schema. */
export async function policy(context: CommandContext): Promise<CommandResult> {
  const [action, ...rest] = context.args.operands;
  if (action === 'schema' && rest.length === 0) {
    return {
      exit: EXIT.yes,
      outcome: 'schema',
      members: { schema_document: SDLC_V1_SCHEMA },
      lines: [JSON.stringify(SDLC_V1_SCHEMA, null, 2)],
    };
  }
  if (action !== 'check' || rest.length > 1)
    throw usageError('Use `shipgate policy check [FILE]` or `shipgate policy schema`.');
  return check(context, rest);
}

/** Checks a policy file, like `policy check`. */
export async function lint(context: CommandContext): Promise<CommandResult> {
  const { operands } = context.args;
  if (operands.length > 1) throw usageError('Use `shipgate lint [FILE]`.');
  return check(context, operands);
}

const check = async (context: CommandContext, files: readonly string[]): Promise<CommandResult> =>
  context.args.flag('remote') ? checkRemote(context, files) : checkFile(context, files[0] ?? DEFAULT_FILE);

function checkFile({ cwd, note }: CommandContext, file: string): CommandResult {
  let source: Buffer;
  try {
    source = readFileSync(path.resolve(cwd, file));
  } catch (error) {
    throw usageError(`${plainText(file)} cannot be read: ${fileProblem(error)}.`);
  }
  note('The default of the organization is not known here. Use --remote to check the policy in effect.');
  const reading = readPolicyDocument(source);
  return toResult(file, reading.ok ? [] : reading.problems);
}

/** Requests the policy in effect for a commit, which includes the default of the organization. */
async function checkRemote(context: CommandContext, operands: readonly string[]): Promise<CommandResult> {
  if (operands.length > 0) throw usageError('--remote checks the file of a commit. Do not name a file.');
  const { args, ci, env, note, maskToken } = context;
  const sha = args.text('commit') ?? ci.commit;
  if (sha === undefined) throw usageError('The commit is missing. Use --commit.');
  const query = new URLSearchParams({ repo: getRepository(context), sha: parseCommit(sha, '--commit') });
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    const path = `/api/policy/check?${query.toString()}`;
    const answer = await client.send({ method: 'GET', path, answerMs: ANSWER_MS, budgetMs: BUDGET_MS });
    const { status, problems } = (answer.json ?? {}) as { readonly status?: unknown; readonly problems?: unknown };
    if (answer.status !== 200 || typeof status !== 'string' || !Array.isArray(problems)) {
      throw answerError('question', answer);
    }
    if (status === 'valid') return toResult(DEFAULT_FILE, []);
    if (status === 'invalid') return toResult(DEFAULT_FILE, problems as readonly PolicyProblem[], false);
    const message = `${DEFAULT_FILE} is ${plainText(status)} at this commit.`;
    return { exit: EXIT.no, outcome: plainText(status), members: { file: DEFAULT_FILE, problems }, lines: [message] };
  } finally {
    await client.close();
  }
}

function toResult(file: string, problems: readonly PolicyProblem[], isValid = problems.length === 0): CommandResult {
  const lines = problems.map(({ line, column, message }) => {
    const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
    return `${plainText(place)}: ${plainText(message)}`;
  });
  return {
    exit: isValid ? EXIT.yes : EXIT.no,
    outcome: isValid ? 'valid' : 'invalid',
    members: { file, problems },
    lines: isValid ? [`${plainText(file)} is valid.`] : lines,
  };
}
