import type { SetupStep } from '../../../src/domain/repository/bootstrap.js';
import type { Organization } from '../../github-sim/state/organization.js';
import type { Ruleset, RulesetSpec } from '../../github-sim/state/rulesets.js';
import type { User } from '../../github-sim/state/user.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/signed-in.js';
import type { TestEnvironment } from '../../support/world.js';
import { PLAIN_POLICY, RepositoryScene } from './repository-scene.js';

export const DEVELOPMENT = 'Shipgate: development branch';
export const RELEASE = 'Shipgate: release branches';

/** What is written down of a repository's protection. */
export interface ProtectionRow {
  readonly status: string;
  readonly detail: string | null;
  readonly step: SetupStep;
  readonly tokens: number;
}

interface ProtectedSpec {
  readonly sdlc?: string;
  /** How far its set-up went; null where it was never begun. One that goes on by itself needs a pull request. */
  readonly step?: SetupStep | null;
}

/** A workspace whose admin has the branches of repositories protected. */
export class ProtectionScene {
  private constructor(
    readonly world: TestEnvironment,
    readonly organization: Organization,
    readonly admin: UserSession,
  ) {}

  static async in(world: TestEnvironment, organization = world.organization): Promise<ProtectionScene> {
    const user = world.github.createUser({ login: `${organization.login}-admin` });
    organization.addMember(user, 'admin');
    return new ProtectionScene(world, organization, await signIn(world, user, { role: 'admin', organization }));
  }

  /** A public repository whose bootstrap was merged, as far as the service knows. */
  async merged(
    name: string,
    { sdlc = PLAIN_POLICY, step = 'protection_failed' }: ProtectedSpec = {},
  ): Promise<RepositoryScene> {
    const { world, organization } = this;
    const scene = new RepositoryScene(world, { name, sdlc, organization, private: false });
    await this.world.settle();
    if (step === null) return scene;
    await this.world.asSuperuser(
      `insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place, changed_at)
       select org_id, id, gen_random_uuid(), '${step}', 1, now(), true, now() from repository
       where github_id = ${scene.repository.id}`,
    );
    return scene;
  }

  /** The same with its branches protected. */
  async protected(name: string, spec: ProtectedSpec = {}): Promise<RepositoryScene> {
    const scene = await this.merged(name, spec);
    await this.order(scene);
    await this.world.settle();
    return scene;
  }

  async idOf({ repository }: RepositoryScene): Promise<string> {
    const [row] = await this.world.asSuperuser<{ id: string }>(
      `select id from repository where github_id = ${repository.id}`,
    );
    if (!row) throw new Error('the service does not know the repository');
    return row.id;
  }

  async order(scene: RepositoryScene, body?: object, by = this.admin): Promise<JsonAnswer> {
    return by.send('POST', `/api/repos/${await this.idOf(scene)}/configure-rulesets`, body);
  }

  /** Has the repository read anew, as happens every quarter of an hour. */
  async sync(scene: RepositoryScene): Promise<void> {
    const { status } = await this.admin.send('POST', '/api/sync', { repoId: await this.idOf(scene) });
    if (status !== 202) throw new Error(`the sync is answered with ${status}`);
    await this.world.settle();
  }

  async row({ repository }: RepositoryScene): Promise<ProtectionRow | null> {
    const [row] = await this.world.asSuperuser<ProtectionRow>(
      `select p.status, p.detail, s.step,
         (select count(*)::int from repository_token t where t.repository_id = r.id) as tokens
       from repository_protection p join repository r on r.id = p.repository_id
       join repository_setup s on s.repository_id = r.id where r.github_id = ${repository.id}`,
    );
    return row ?? null;
  }

  /** The protection's status alone. */
  async status(scene: RepositoryScene): Promise<string | undefined> {
    return (await this.row(scene))?.status;
  }

  /** How often the service asked to have a ruleset changed. */
  writes(): number {
    return this.world.exchanges.filter(({ method, path }) => method !== 'GET' && path.includes('/rulesets')).length;
  }

  /** Somebody who administers the repository, with a token of theirs. */
  administrator(scene: RepositoryScene, login: string): { readonly user: User; readonly token: string } {
    const user = this.world.github.createUser({ login });
    scene.repository.owner.addMember(user);
    scene.repository.setCollaborator(user, 'admin');
    return { user, token: this.world.github.world.tokens.issuePersonal(user) };
  }
}

export const namesOf = ({ repository }: RepositoryScene): readonly string[] =>
  repository.rulesets.list().map(({ spec }) => spec.name);

/** The repository's only ruleset of this name. */
export function rulesetOf({ repository }: RepositoryScene, name: string): Ruleset {
  const [ruleset, ...others] = repository.rulesets.list().filter(({ spec }) => spec.name === name);
  if (!ruleset || others.length > 0)
    throw new Error(`${others.length + (ruleset ? 1 : 0)} rulesets are called ${name}`);
  return ruleset;
}

/** As if somebody changed it in the settings. */
export function edit(scene: RepositoryScene, name: string, change: (spec: RulesetSpec) => Partial<RulesetSpec>): void {
  const ruleset = rulesetOf(scene, name);
  scene.repository.rulesets.replace(ruleset, change(ruleset.spec));
}

/** The parameters of a ruleset's only rule of a type. */
export function parametersOf(scene: RepositoryScene, name: string, type: string): Readonly<Record<string, unknown>> {
  const rules = (rulesetOf(scene, name).spec.rules ?? []).filter((rule) => rule.type === type);
  if (rules.length !== 1) throw new Error(`${name} has ${rules.length} rules of the type ${type}`);
  return rules[0]?.parameters ?? {};
}
