import { writeFileSync } from 'node:fs';
import { CommandError, type CommandResult, EXIT, unknownError, usageError } from '../command-result.js';
import { fileProblem } from '../file-problem.js';
import { errorSentence, type ServiceClient } from '../service/service-client.js';
import { isRecord } from '../verify-statement/json-members.js';
import type { CheckedRelease, Gate } from './check-gate.js';

const ANSWER_MS = 15_000;
const BUDGET_MS = 120_000;
const CONFLICT = 409;

interface GateWithStatement {
  readonly file: string;
  readonly request: CheckedRelease;
  readonly answer: Gate;
  readonly result: CommandResult;
}

/**
 * Saves the signed statement of an answer of the gate. The gate may have closed since the answer: an open result needs a statement that
 * says so.
 */
export async function withStatement(
  client: ServiceClient,
  { file, request: { environment, digest }, answer, result }: GateWithStatement,
): Promise<CommandResult> {
  const releaseId = answer.isOpen === null ? null : answer.releaseId;
  if (releaseId === null) throw unknownError('This Shipgate is older, and signs no statements.');
  const query = new URLSearchParams({
    ...(digest !== undefined && { digest }),
    ...(environment !== undefined && { environment }),
  });
  const path = `/api/milestones/${encodeURIComponent(releaseId)}/statement?${query.toString()}`;
  const got = await client.send({ method: 'GET', path, answerMs: ANSWER_MS, budgetMs: BUDGET_MS });
  // A closed gate of a release without a candidate: there is nothing to state.
  if (got.status === CONFLICT && result.exit === EXIT.no)
    return { ...result, lines: [...result.lines, errorSentence(got)] };
  const isOpen = got.status === 200 ? readResult(got.json) : null;
  if (isOpen === null) {
    const problem = got.status === 200 ? 'The answer is not a statement.' : errorSentence(got);
    throw new CommandError(EXIT.unknown, 'unknown', problem, { status: got.status, request_id: got.requestId });
  }
  try {
    writeFileSync(file, `${JSON.stringify(got.json)}\n`);
  } catch (error) {
    throw usageError(`The statement cannot be written: ${fileProblem(error)}.`);
  }
  const saved = { ...result, members: { ...result.members, statement: file } };
  if (result.exit !== EXIT.yes || isOpen) return saved;
  return {
    ...saved,
    exit: EXIT.no,
    outcome: 'closed',
    lines: ['The gate closed while its statement was signed. The statement says so.'],
  };
}

/** Returns whether a statement says that the gate is open; null if it is none. Its signature is for those who verify it. */
function readResult(envelope: unknown): boolean | null {
  if (!isRecord(envelope) || typeof envelope['payload'] !== 'string') return null;
  try {
    const statement: unknown = JSON.parse(Buffer.from(envelope['payload'], 'base64').toString('utf8'));
    const predicate = isRecord(statement) ? statement['predicate'] : null;
    return isRecord(predicate) ? predicate['verificationResult'] === 'PASSED' : null;
  } catch {
    return null;
  }
}
