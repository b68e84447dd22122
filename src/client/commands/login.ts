import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isInCi } from '../ci-environment.js';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { loginFile, removeLogin, writeLogin } from '../login-file.js';
import { answerError, ServiceClient } from '../service/service-client.js';
import { serviceAddress } from '../settings.js';
import type { CommandContext } from './command-context.js';

const ANSWER_MS = 15_000;
const BUDGET_MS = 30_000;
const PREFIX = 'sgp_';
/** The exit code of a process that SIGINT ended, as shells report it. */
const INTERRUPTED = 130;

/** Checks a personal key and stores it with the address of Shipgate, for the commands that act in the name of a user. */
export async function login({ args, env, note }: CommandContext): Promise<CommandResult> {
  if (isInCi(env)) throw usageError('A login is for users. In CI, set SHIPGATE_PERSONAL_KEY or SHIPGATE_API_KEY.');
  const url = serviceAddress(args.text('url'), env);
  const key = await readKey();
  if (!key.startsWith(PREFIX)) throw usageError(`A personal key begins with ${PREFIX}. Create one in the dashboard.`);
  const client = new ServiceClient(url, env, note, { personalKey: key });
  try {
    const path = '/api/dashboard?page=1&pageSize=10';
    const answer = await client.send({ method: 'GET', path, answerMs: ANSWER_MS, budgetMs: BUDGET_MS });
    if (answer.status !== 200) throw answerError('question', answer);
  } finally {
    await client.close();
  }
  writeLogin(env, { url, key });
  const file = loginFile(env);
  return {
    exit: EXIT.yes,
    outcome: 'logged_in',
    members: { url, file },
    lines: [`Logged in to ${url}. The key is in ${file}, which only you can read.`],
  };
}

/** Removes the stored key. It stays valid until its owner revokes it. */
export function logout({ env }: CommandContext): Promise<CommandResult> {
  const wasLoggedIn = removeLogin(env);
  const line = wasLoggedIn
    ? 'The key is removed from this computer. It stays valid until you revoke it in the dashboard.'
    : 'There was no login.';
  return Promise.resolve({ exit: EXIT.yes, outcome: 'logged_out', members: { removed: wasLoggedIn }, lines: [line] });
}

/** Reads the key from a pipe, or prompts for it on a terminal without showing it. */
async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  process.stderr.write('Personal key (not shown): ');
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: hidden, terminal: true });
  prompt.on('SIGINT', () => process.exit(INTERRUPTED));
  try {
    return (await prompt.question('')).trim();
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}
