import type { SetupStep } from '../../../src/domain/repository/bootstrap.js';
import type { Organization } from '../../github-sim/state/organization.js';
import type { Ruleset, RulesetSpec } from '../../github-sim/state/rulesets.js';
import type { User } from '../../github-sim/state/user.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './repository-scenario.js';

export const DEVELOPMENT = 'Shipgate: development branch';
export const RELEASE = 'Shipgate: release branches';

/** The stored row of the branch protection of a repository. */
export interface ProtectionRow {
  readonly status: string;
  readonly detail: string | null;
  readonly step: SetupStep;
  readonly tokens: number;
}

interface ProtectedSpec {
  readonly sdlc?: string;
  /** The setup state; null if the set-up never began. A state that continues by itself needs a pull request. */
  readonly step?: SetupStep | null;
}

/** A workspace whose admin protects the branches of repositories. */
export class ProtectionScenario {
  private constructor(
    readonly env: TestEnvironment,
    readonly organization: Organization,
    readonly admin: UserSession,
  ) {}

  static async in(env: TestEnvironment, organization = env.organization): Promise<ProtectionScenario> {
    const user = env.github.createUser({ login: `${organization.login}-admin` });
    organization.addMember(user, 'admin');
    return new ProtectionScenario(env, organization, await signIn(env, user, { role: 'admin', organization }));
  }

  /** A public repository whose bootstrap is stored as merged. */
  async merged(
    name: string,
    { sdlc = PLAIN_POLICY, step = 'protection_failed' }: ProtectedSpec = {},
  ): Promise<RepositoryScenario> {
    const { env, organization } = this;
    const scenario = new RepositoryScenario(env, { name, sdlc, organization, private: false });
    await this.env.waitUntilIdle();
    if (step === null) return scenario;
    await this.env.asSuperuser(
      `insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place, changed_at)
       select org_id, id, gen_random_uuid(), '${step}', 1, now(), true, now() from repository
       where github_id = ${scenario.repository.id}`,
    );
    return scenario;
  }

  /** A public repository with protected branches. */
  async protected(name: string, spec: ProtectedSpec = {}): Promise<RepositoryScenario> {
    const scenario = await this.merged(name, spec);
    await this.order(scenario);
    await this.env.waitUntilIdle();
    return scenario;
  }

  idOf(scenario: RepositoryScenario): Promise<string> {
    return scenario.repositoryId();
  }

  async order(scenario: RepositoryScenario, body?: object, by = this.admin): Promise<JsonAnswer> {
    return by.send('POST', `/api/repos/${await this.idOf(scenario)}/configure-rulesets`, body);
  }

  /** Reconciles the repository, as the service does every quarter of an hour. */
  async sync(scenario: RepositoryScenario): Promise<void> {
    const { status } = await this.admin.send('POST', '/api/sync', { repoId: await this.idOf(scenario) });
    if (status !== 202) throw new Error(`the sync is answered with ${status}`);
    await this.env.waitUntilIdle();
  }

  async row({ repository }: RepositoryScenario): Promise<ProtectionRow | null> {
    const [row] = await this.env.asSuperuser<ProtectionRow>(
      `select p.status, p.detail, s.step,
         (select count(*)::int from repository_token t where t.repository_id = r.id) as tokens
       from repository_protection p join repository r on r.id = p.repository_id
       join repository_setup s on s.repository_id = r.id where r.github_id = ${repository.id}`,
    );
    return row ?? null;
  }

  /** The status of the branch protection. */
  async status(scenario: RepositoryScenario): Promise<string | undefined> {
    return (await this.row(scenario))?.status;
  }

  /** The number of requests to change a ruleset. */
  writes(): number {
    return this.env.exchanges.filter(({ method, path }) => method !== 'GET' && path.includes('/rulesets')).length;
  }

  /** A user who administers the repository, with a token. */
  administrator(scenario: RepositoryScenario, login: string): { readonly user: User; readonly token: string } {
    const user = this.env.github.createUser({ login });
    scenario.repository.owner.addMember(user);
    scenario.repository.setCollaborator(user, 'admin');
    return { user, token: this.env.github.state.tokens.issuePersonal(user) };
  }
}

export const namesOf = ({ repository }: RepositoryScenario): readonly string[] =>
  repository.rulesets.list().map(({ spec }) => spec.name);

/** The repository's only ruleset of this name. */
export function rulesetOf({ repository }: RepositoryScenario, name: string): Ruleset {
  const [ruleset, ...others] = repository.rulesets.list().filter(({ spec }) => spec.name === name);
  if (!ruleset || others.length > 0)
    throw new Error(`${others.length + (ruleset ? 1 : 0)} rulesets are called ${name}`);
  return ruleset;
}

/** Changes a ruleset as an administrator does in the settings. */
export function edit(
  scenario: RepositoryScenario,
  name: string,
  change: (spec: RulesetSpec) => Partial<RulesetSpec>,
): void {
  const ruleset = rulesetOf(scenario, name);
  scenario.repository.rulesets.replace(ruleset, change(ruleset.spec));
}

/** The parameters of a ruleset's only rule of a type. */
export function parametersOf(
  scenario: RepositoryScenario,
  name: string,
  type: string,
): Readonly<Record<string, unknown>> {
  const rules = (rulesetOf(scenario, name).spec.rules ?? []).filter((rule) => rule.type === type);
  if (rules.length !== 1) throw new Error(`${name} has ${rules.length} rules of the type ${type}`);
  return rules[0]?.parameters ?? {};
}
