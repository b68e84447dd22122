import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { FORMAT_NAMES } from '../../src/features/evidence/formats/formats.js';
import { COMMANDS, INIT_SYSTEMS } from '../../src/client/command-table.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const WORKFLOW = '.github/workflows/shipgate.yml';

describe('shipgate init', () => {
  let folder: string;
  beforeAll(buildClient);
  afterAll(removeClient);
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-init-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const init = (...args: readonly string[]): Promise<ClientOutcome> =>
    shipgate(['init', ...args], { cwd: folder, env: { SHIPGATE_REPO: 'acme/payments' } });
  const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
  const write = (file: string, content: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  };

  it('writes a policy that is valid and a workflow that GitHub accepts, and says what is next', async () => {
    const { code, stdout } = await init('--url', 'https://gate.acme.example');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Written: sdlc\.yaml\nWritten: .*shipgate\.yml\nNext: /),
    ]);
    expect(read('sdlc.yaml')).toMatch(/\$schema=https:\/\/gate\.acme\.example\/.*name: "payments"/s);
    expect(await shipgate(['lint'], { cwd: folder })).toMatchObject({ code: 0 });
    const content = read(WORKFLOW);
    const { context, value } = parseWorkflow({ name: 'a.yml', content }, new NoOperationTraceWriter());
    if (value) await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
    expect(content).toContain("SHIPGATE_URL: 'https://gate.acme.example'\n");
    expect(parse(content)).toMatchObject({ jobs: { deploy: { permissions: { contents: 'read' } } } });
  });

  it('never replaces a file without --force', async () => {
    write('sdlc.yaml', 'version: v1 # ours\n');
    const first = await init();
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringContaining('because it exists: sdlc.yaml. Use --force'),
    ]);
    expect(read('sdlc.yaml')).toBe('version: v1 # ours\n');
    const again = await init('--json');
    expect([again.code, again.json['outcome'], again.json['kept']]).toEqual([0, 'unchanged', ['sdlc.yaml', WORKFLOW]]);
    expect((await init('--force', '--json')).json['written']).toEqual(['sdlc.yaml', WORKFLOW]);
    expect(read('sdlc.yaml')).not.toContain('# ours');
  });

  it.each([
    ['.gitlab-ci.yml', 'gitlab'],
    ['Jenkinsfile', 'jenkins'],
    ['.circleci/config.yml', 'circleci'],
    ['.buildkite/pipeline.yml', 'buildkite'],
    ['azure-pipelines.yml', 'azure'],
    ['.github/workflows/test.yml', 'github'],
  ])('finds the system by %s', async (trace, system) => {
    write(trace, '');
    expect((await init('--json')).json['system']).toBe(system);
    expect(read(trace)).toBe('');
  });

  it.each(INIT_SYSTEMS)('has the upload and the gate for %s, with a download that ends with 3', async (system) => {
    const { json } = await init('--ci', system, '--json');
    const text = String(json['ci_lines']);
    expect(text).toMatch(/upload junit\.xml/);
    expect(text).toMatch(/gate --wait 15m/);
    for (const line of text.split('\n').filter((one) => one.includes('curl '))) {
      expect(line).toMatch(/--retry 5 --retry-all-errors .*\|\| exit 3/);
    }
    // Lines of systems without a file of their own are parts of files in YAML, too.
    if (system !== 'jenkins' && system !== 'other') expect(() => void parse(text)).not.toThrow();
    expect(text.includes('"$$SHIPGATE_URL')).toBe(system === 'buildkite');
  });

  it('writes a file to include for GitLab', async () => {
    const { stdout } = await init('--ci', 'gitlab');
    expect(stdout).toContain('include: [{ local: .gitlab/shipgate.yml }]');
    const {
      '.shipgate': shared,
      'shipgate-upload': upload,
      'shipgate-gate': gate,
    } = parse(read('.gitlab/shipgate.yml'));
    expect(shared.rules).toEqual([{ if: expect.stringContaining('$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH') }]);
    expect(upload).toMatchObject({ extends: '.shipgate', when: 'always' });
    expect(gate).toMatchObject({ extends: '.shipgate', when: 'manual', allow_failure: false });
    // With `needs` the gate would start although an earlier stage failed.
    expect([upload.needs, gate.needs]).toEqual([undefined, undefined]);
    expect(stdout).toContain('`needs: [shipgate-gate]` and `rules: !reference [.shipgate, rules]`');
  });

  it('has the upload and the gate for Buildkite on branches and tags of releases only', async () => {
    const { json } = await init('--ci', 'buildkite', '--json');
    for (const step of parse(String(json['ci_lines'])) as readonly { readonly if: string }[]) {
      expect(step.if).toMatch(/build\.branch == pipeline\.default_branch \|\| build\.branch =~ \/\^release\\\/\//);
    }
  });

  it('finds the repository by the remote of git, and else says that its name is to be replaced', async () => {
    const withoutRepository = (): Promise<ClientOutcome> => shipgate(['init', '--ci', 'other'], { cwd: folder });
    expect((await withoutRepository()).stdout).toMatch(
      /Replace OWNER\/shipgate-init-\w+ by the repository on GitHub\./,
    );
    for (const args of [
      ['init', '-q'],
      ['remote', 'add', 'origin', 'git@github.com:acme/payments.git'],
    ])
      spawnSync('git', args, { cwd: folder });
    const { stdout } = await withoutRepository();
    expect(stdout).toContain("SHIPGATE_REPO='acme/payments'");
    expect(stdout).not.toContain('OWNER');
  });

  it.each([['sdlc.yaml'], [WORKFLOW], ['.github']])('never writes through the link %s', async (link) => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'shipgate-elsewhere-'));
    mkdirSync(path.dirname(path.join(folder, link)), { recursive: true });
    symlinkSync(path.join(elsewhere, 'target'), path.join(folder, link));
    const kept = await init();
    const isKept = link !== '.github';
    expect([kept.code, kept.stdout.includes(`because it exists: ${link}`)]).toEqual([isKept ? 0 : 2, isKept]);
    const forced = await init('--force');
    expect([forced.code, forced.stderr]).toEqual([2, expect.stringMatching(/cannot be written: .* is a link\./)]);
    expect(existsSync(path.join(elsewhere, 'target'))).toBe(false);
    rmSync(elsewhere, { recursive: true });
  });

  it('writes nothing for an unknown system, or if one of the files cannot be written', async () => {
    expect(await init('--ci', 'jenkin')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Did you mean jenkins\?$/m),
    });
    write('.github', '');
    const { code, stderr } = await init();
    expect([code, stderr]).toEqual([2, expect.stringMatching(/shipgate\.yml cannot be written: /)]);
    expect(existsSync(path.join(folder, 'sdlc.yaml'))).toBe(false);
  });
});

describe('the help', () => {
  it('links to a place that exists, and shows calls of the command itself', () => {
    for (const [name, { guide, examples }] of Object.entries(COMMANDS)) {
      const [file = '', anchor] = guide.split('#');
      const anchors = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) expect([name, anchors.includes(anchor)]).toEqual([name, true]);
      expect(examples.length).toBeGreaterThan(0);
      for (const [call] of examples) expect(call).toContain(`shipgate ${name}`);
    }
  });

  it('completes every format of the service', () => {
    expect(COMMANDS.upload.options.format.choices).toEqual(FORMAT_NAMES);
  });
});
