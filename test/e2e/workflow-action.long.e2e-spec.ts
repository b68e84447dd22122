import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { CI_ACTION, workflowsOf } from '../workflows/workflow-document.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { textAt } from './scenarios/setup-scenario.js';
import { UpdateScenario } from './scenarios/update-scenario.js';

interface Change {
  readonly name: string;
  readonly before: Readonly<Record<string, string>>;
  readonly now: Readonly<Record<string, string>>;
  readonly described: boolean;
}

describe.each<Change>([
  { name: 'to the actions of CI_ACTION', before: {}, now: { CI_ACTION }, described: true },
  { name: 'back to shell scripts', before: { CI_ACTION }, now: {}, described: false },
])('the change of the workflow files $name', ({ before, now, described }) => {
  let env: TestEnvironment;
  let scenario: UpdateScenario;
  let earlier: ReturnType<typeof workflowsOf>;
  let files: Readonly<Record<string, string>>;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off', ...now });
    await env.install();
    scenario = await UpdateScenario.in(env);
    earlier = workflowsOf({ ...env.variables, CI_ACTION: '', ...before });
    files = Object.fromEntries(earlier.files().map(({ path, content }) => [path, content]));
    await scenario.publish(files, earlier.revision, new Date('2026-01-01T00:00:00Z'));
  });
  afterAll(() => env.stop());

  const installed = async (name: string): Promise<RepositoryScenario> => {
    const scenarioOf = new RepositoryScenario(env, { name, private: false });
    scenarioOf.repository.commit({ files });
    await env.waitUntilIdle();
    await scenario.installed(scenarioOf.repository);
    await env.waitUntilIdle();
    return scenarioOf;
  };

  it('is a pull request in each repository', async () => {
    const { repository } = await installed('changing');
    expect((await scenario.status(repository)).body).toMatchObject({
      status: 'UPDATE_AVAILABLE',
      installedRevision: earlier.revision,
      targetRevision: scenario.revision,
    });
    expect(scenario.revision).not.toBe(earlier.revision);
    await scenario.update(repository);
    const pull = scenario.openPull(repository);
    const sentence =
      'The files use the actions of `acme/shipgate` at the commit `0123456789abcdef0123456789abcdef01234567`';
    expect(pull.issue.body?.includes(sentence)).toBe(described);
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    for (const [path, text] of Object.entries(scenario.now)) expect(textAt(repository, 'main', path)).toBe(text);
    expect((await scenario.status(repository)).body).toMatchObject({ status: 'UP_TO_DATE' });
    expect(env.violations).toEqual([]);
  });

  it('leaves the gate of a repository open that does not follow', async () => {
    const staying = await installed('staying');
    await staying.approved('v1.0.0');
    expect(await staying.gate('v1.0.0', { explain: 'true' })).toMatchObject({ can_deploy: true, reasons: [] });
  });
});
