import { readFileSync } from 'node:fs';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { fileProblem } from '../file-problem.js';
import { readTrustedKeys, type TrustedKey, verifyPack } from '../verify-pack/verify-pack.js';
import type { CommandContext } from './command-context.js';

/**
 * Verifies an audit pack. A pack of an unknown signer, or with decisions of other rules, is intact but not verified, so it ends
 * with 3.
 */
export async function verifyPackCommand({ args }: CommandContext): Promise<CommandResult> {
  const [pack, ...rest] = args.operands;
  if (pack === undefined || rest.length > 0) throw usageError('Exactly one pack is required.');
  const file = args.text('keys');
  const isAnySigner = args.flag('any-signer');
  if (file !== undefined && isAnySigner) throw usageError('Use --keys or --any-signer, not both.');
  const trusted = file === undefined ? null : readKeys(file);
  const lines: string[] = [];
  const status = await verifyPack(pack, trusted, (line) => void lines.push(line)).catch((error: unknown) => {
    throw error instanceof Error && 'code' in error
      ? usageError(`The pack cannot be read: ${fileProblem(error)}.`)
      : error;
  });
  if (status === 'not_intact') return { exit: EXIT.no, outcome: status, members: { lines }, lines };
  if (status === 'not_derived') return { exit: EXIT.unknown, outcome: 'intact_not_derived', members: { lines }, lines };
  const isUnknown = trusted === null && !isAnySigner;
  const outcome = trusted === null ? 'intact_unknown_signer' : 'intact';
  return { exit: isUnknown ? EXIT.unknown : EXIT.yes, outcome, members: { lines }, lines };
}

function readKeys(file: string): readonly TrustedKey[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`The keys cannot be read: ${fileProblem(error)}.`);
  }
  const keys = readTrustedKeys(text);
  if (keys === null) throw usageError(`${file} contains no signing keys.`);
  return keys;
}
