import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Alert {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const read = (file: string): string => readFileSync(`deploy/monitoring/${file}`, 'utf8');
const rules = parse(read('alerts.yaml')) as { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
const tests = parse(read('alerts.test.yaml')) as {
  readonly tests: readonly {
    readonly name: string;
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
  }[];
};

const alerts = rules.groups.flatMap((group) => group.rules);
const names = alerts.map(({ alert }) => alert);
const [quiet, ...loud] = tests.tests;

describe('each alert', () => {
  it('has a section in the guide, which it names', () => {
    const sections = [...readFileSync('docs/guides/alerts.md', 'utf8').matchAll(/^## (\w+)$/gm)].map(
      ([, name]) => name,
    );
    expect(sections).toEqual(names);
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`docs/guides/alerts.md#${alert.toLowerCase()}`);
  });

  it('says how urgent it is', () => {
    expect(new Set(alerts.map(({ labels }) => labels.severity))).toEqual(new Set(['page', 'ticket']));
  });

  it('has a test in which it fires, and is silent in the test without a problem', () => {
    const firing = loud.flatMap((test) => test.alert_rule_test.filter(({ exp_alerts: expected }) => expected?.length));
    expect(firing.map(({ alertname }) => alertname)).toEqual(names);
    expect(quiet?.alert_rule_test).toEqual(names.map((alertname) => expect.objectContaining({ alertname })));
    expect(quiet?.alert_rule_test.some(({ exp_alerts: expected }) => expected?.length)).toBe(false);
  });
});

describe('the tests of the alerts', () => {
  const withoutPromtool = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/test-alerts.mjs', ...args], { env: { PATH: '' } }).status;

  it('are skipped without promtool, and fail if they are required', () => {
    expect(withoutPromtool()).toBe(0);
    expect(withoutPromtool('--required')).toBe(1);
  });

  it('are required in a workflow that installs promtool', () => {
    const workflow = parse(readFileSync('.github/workflows/ci.yml', 'utf8')) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
    };
    const jobs = Object.values(workflow.jobs).map(({ steps }) => steps.map(({ run = '' }) => run).join('\n'));
    const job = jobs.find((runs) => runs.includes('node scripts/test-alerts.mjs --required'));
    expect(job).toMatch(/apt-get install .*prometheus/);
  });
});
