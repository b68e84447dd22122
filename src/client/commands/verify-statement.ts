import { readFileSync, statSync } from 'node:fs';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { fileProblem } from '../file-problem.js';
import type { TrustedKey } from '../verify-pack/verify-pack.js';
import { readStatementKeys } from '../verify-statement/statement-keys.js';
import { verifyStatement } from '../verify-statement/verify-statement.js';
import { type CommandContext, parseCommit, parseDigest } from './command-context.js';

/** Far more than the service ever signs. */
const MAX_BYTES = 1_048_576;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** Verifies a signed statement without a network. Ends with 0 only if it says that the gate is open for what is expected. */
export async function verifyStatementCommand({ args }: CommandContext): Promise<CommandResult> {
  const [file, ...rest] = args.operands;
  if (file === undefined || rest.length > 0) throw usageError('Exactly one statement is required.');
  const required = (name: string): string => {
    const value = args.text(name);
    if (value === undefined) throw usageError(`--${name} is missing. Without it the statement proves nothing.`);
    return value;
  };
  const [given, commit] = [args.text('digest'), args.text('commit')];
  const keys = readKeys(required('key'));
  const expected = {
    digest: given === undefined ? null : parseDigest(given, '--digest'),
    commit: commit === undefined ? null : parseCommit(commit, '--commit'),
    resource: required('resource'),
    verifier: required('verifier').replace(/\/+$/, ''),
    at: readTime(args.text('at')),
  };
  if (expected.digest === null && expected.commit === null) {
    throw usageError(
      'Use --digest for an artifact, or --commit for a commit. Without one the statement proves nothing.',
    );
  }
  const check = verifyStatement(readBounded(file, 'The statement'), { ...expected, keys });
  if (!check.isValid) {
    const { reason } = check;
    return { exit: EXIT.no, outcome: 'not_valid', members: { reason }, lines: [`NOT VALID: ${reason}.`] };
  }
  const { decisionId, validUntil, keyId } = check;
  return {
    exit: EXIT.yes,
    outcome: 'valid',
    members: { decision_id: decisionId, valid_until: validUntil.toISOString(), key_id: keyId },
    lines: [
      `VALID until ${validUntil.toISOString()}: the gate is open by the decision ${decisionId}, signed by the key ${keyId}.`,
    ],
  };
}

function readTime(text: string | undefined): Date {
  if (text === undefined) return new Date();
  if (!MOMENT.test(text) || Number.isNaN(Date.parse(text))) {
    throw usageError('--at must be a time in UTC, such as 2026-05-04T10:00:00Z.');
  }
  return new Date(text);
}

function readKeys(file: string): readonly TrustedKey[] {
  const keys = readStatementKeys(readBounded(file, 'The keys').toString('utf8'));
  if (keys === null) throw usageError(`${file} contains no signing keys.`);
  return keys;
}

function readBounded(file: string, what: string): Buffer {
  try {
    if (statSync(file).size > MAX_BYTES) throw usageError(`${what} cannot be read: ${file} is larger than 1 MB.`);
    return readFileSync(file);
  } catch (error) {
    throw error instanceof Error && 'code' in error
      ? usageError(`${what} cannot be read: ${fileProblem(error)}.`)
      : error;
  }
}
