import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../operate/installed.js';
import { TestServer } from '../workflows/runner-services.js';
import { buildClient, clientCommand, removeClient, shipgate } from './client-process.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';

const SCRIPT = '/usr/bin/script';
const isInstalled = String(spawnSync(SCRIPT, ['--version']).stdout).includes('util-linux');

type Variables = Readonly<Record<string, string>>;

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const KEY = keySecret('sgp', new Uint8Array(32));
const CONTROL_C = '\u0003';
const RED_ERROR = '\u001B[31merror:\u001B[0m Unknown';

/** The command line on a terminal of its own. */
class Terminal {
  private text = '';
  private readonly child;
  private readonly closed: Promise<unknown>;

  constructor(args: readonly string[], env: Variables = {}) {
    const command = [...clientCommand(), ...args].map((part) => `'${part}'`).join(' ');
    // Without `--echo always`, the terminal would show no input at all, because the input of this process is a pipe.
    const options = ['-q', '-e', '--echo', 'always', '-c', `tty; echo $$; exec ${command}`, '/dev/null'];
    this.child = spawn(SCRIPT, options, {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
      stdio: 'pipe',
    });
    this.child.stdout.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.closed = once(this.child, 'close');
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** Resolves when the terminal shows a text that matches. */
  async shows(pattern: RegExp): Promise<readonly string[]> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`The process ended without ${String(pattern)}: ${this.text}`);
      await Promise.race([once(this.child.stdout, 'data'), this.closed]);
    }
  }

  /** Returns the device of the terminal and the process. */
  async started(): Promise<{ readonly device: string; readonly pid: number }> {
    const [, device = '', pid = ''] = await this.shows(/(\/dev\/\S+)\r\n(\d+)\r\n/);
    return { device, pid: Number(pid) };
  }

  async ended(): Promise<{ readonly code: number | null; readonly text: string }> {
    await this.closed;
    return { code: this.child.exitCode, text: this.text };
  }
}

beforeAll(buildClient);
afterAll(removeClient);

it('an error in a pipe has no color', async () => {
  const { code, stderr } = await shipgate(['gate', '--none']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: Unknown/)]);
});

describeWith({ 'util-linux': isInstalled ? SCRIPT : null })('on a terminal', () => {
  it('an error is red', async () => {
    const { code, text } = await new Terminal(['gate', '--none']).ended();
    expect([code, text]).toEqual([2, expect.stringContaining(RED_ERROR)]);
  });

  it.each<[string, readonly string[], Variables]>([
    ['NO_COLOR=1', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
  ])('an error has no color with %s', async (_, args, env) => {
    const { code, text } = await new Terminal(['gate', '--none', ...args], env).ended();
    expect([code, text]).toEqual([2, expect.stringContaining('\nerror: Unknown')]);
    expect(text).not.toContain('\u001B');
  });

  it.each<[string, number, (terminal: Terminal) => Promise<unknown> | void]>([
    ['Ctrl-C', 130, (terminal) => terminal.type(CONTROL_C)],
    ['SIGTERM', 143, async (terminal) => process.kill((await terminal.started()).pid, 'SIGTERM')],
  ])('a wait for the gate ends after %s', async (_, expected, interrupt) => {
    const service = await TestServer.answering((_request, response) => {
      const reasons = [{ code: 'approvals_missing', actor: 'reviewer', detail: 'Wait.' }];
      response.end(JSON.stringify({ version: 'v1', current_stage: 'EVIDENCING', can_deploy: false, reasons }));
    });
    try {
      const args = ['gate', '--release', 'v1', '--repo', 'acme/payments', '--sha', SHA, '--wait', '1h'];
      const terminal = new Terminal(args, {
        SHIPGATE_URL: service.url,
        SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)),
      });
      await terminal.shows(/Still closed \(EVIDENCING\): approvals_missing/);
      await interrupt(terminal);
      expect(await terminal.ended()).toMatchObject({ code: expected });
    } finally {
      await service.stop();
    }
  });

  it('login does not show the key', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-home-'));
    const service = await TestServer.answering((_, response) => void response.end('{}'));
    try {
      const terminal = new Terminal(['login'], { SHIPGATE_URL: service.url, XDG_CONFIG_HOME: folder });
      const { device } = await terminal.started();
      await terminal.shows(/Personal key \(not shown\): /);
      // The command turns the echo off right after it prints this.
      while (!spawnSync('stty', ['-F', device, '-a'], { encoding: 'utf8' }).stdout.includes(' -echo ')) await sleep(10);
      terminal.type(`${KEY}\r`);
      const { code, text } = await terminal.ended();
      expect([code, text]).toEqual([0, expect.stringContaining(`Logged in to ${service.url}.`)]);
      expect(text).not.toContain(KEY.slice(4));
      expect(readFileSync(path.join(folder, 'shipgate/login.json'), 'utf8')).toContain(KEY);
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
