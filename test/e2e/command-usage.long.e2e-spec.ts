import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';

/** The timeout. A command that accepts invalid arguments waits for input. */
const PATIENCE_MS = 60_000;

/** Runs a command without environment variables, because it must reject its arguments before it needs one. */
function call(
  command: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly stderr: string } {
  const source = ['--import', './test/support/typescript.mjs', `src/cli/${command}.ts`];
  const { status, stderr } = spawnSync(process.execPath, [...source, ...args], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' },
  });
  return { status, stderr };
}

describe('a command', () => {
  it.each([
    ['create-key', ['--org', 'acme'], '--org and --name are required.'],
    ['create-key', ['--org', 'acme', '--name', 'ci', '--days', '0'], '--days must be a whole number from 1 to 36500.'],
    ['create-key', ['--org', 'acme', '--name', 'ci', '--days', '36501'], '--days must be a whole number from 1 to 365'],
    ['create-key', ['--org', 'acme', '--name', 'ci', '--scope', 'all'], '--scope must be one of evidence:write'],
    ['change-app-credentials', [], 'Give at least one of the options.'],
    ['change-app-credentials', ['--private-key', '/nowhere'], '/nowhere cannot be read: Error: ENOENT'],
    ['setup', ['--org', ''], '--org and --name must not be empty.'],
    ['setup', ['--org', 'acme', '--name', ''], '--org and --name must not be empty.'],
    ['verify-audit', ['--expect', 'acme'], '--expect must be a head that this command printed.'],
    ['backup', [], '--to is required.'],
    ['restore', ['--check'], '--from is required.'],
    ['erase', [], 'Name a --workspace or a --user.'],
    ['erase', ['--workspace', 'acme', '--user', '7'], 'Name a --workspace or a --user.'],
    ['erase', ['--user', 'ada'], '--user must be the numeric id of a GitHub user.'],
    ['erase', ['--workspace', 'acme', '--confirm', 'acme '], '--confirm must name the workspace or the user.'],
    ['erase', ['--workspace', 'acme', '--confirm', 'acme'], '--receipt is required with --confirm.'],
    ['erase', ['--user', '7', '--grace-days', 'soon'], '--grace-days must be a whole number of days.'],
  ])('%s rejects %j with a message and its usage', (command, args, sentence) => {
    const { status, stderr } = call(command, ...args);
    expect(stderr.startsWith(sentence)).toBe(true);
    expect(stderr).toContain('\n\n  npm run ');
    expect(status).toBe(64);
  });
});
