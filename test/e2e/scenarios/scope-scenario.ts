import type { Issue } from '../../github-sim/state/issues.js';
import type { Milestone } from '../../github-sim/state/milestones.js';
import type { RoleName } from '../../github-sim/state/role.js';
import { givenUserToken } from '../../support/given-user-token.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { RepositoryScenario } from './repository-scenario.js';

export interface ScopeBody {
  readonly action: string;
  readonly number: number;
  readonly assignee?: string;
}

/** A public repository of the workspace, with releases whose scope users change in their own names. */
export class ScopeScenario extends RepositoryScenario {
  constructor(env: TestEnvironment, spec: { readonly name: string; readonly sdlc?: string }) {
    super(env, { ...spec, private: false });
  }

  /** A member of the workspace who has this role on GitHub and gave the app a token. */
  async member(login: string, role: RoleName): Promise<UserSession> {
    const user = this.env.github.createUser({ login });
    this.repository.setCollaborator(user, role);
    const member = await signIn(this.env, user);
    await givenUserToken(this.env, user);
    return member;
  }

  issue(title: string, milestone: Milestone | null = null): Issue {
    return this.repository.issues.create({ title, milestone });
  }

  async id(version: string): Promise<string> {
    const [row] = await this.env.asSuperuser<{ id: string }>(
      `select r.id from release r join repository p on p.id = r.repository_id
       where p.github_id = ${this.repository.id} and r.version = '${version}' and r.deleted_at is null`,
    );
    if (!row) throw new Error(`the service has not stored ${version}`);
    return row.id;
  }

  async change(by: UserSession, version: string, body: ScopeBody): Promise<JsonAnswer> {
    return by.send('POST', `/api/milestones/${await this.id(version)}/scope`, body);
  }

  /** The stored issues of the release, each with its assignees. */
  async known(version: string): Promise<readonly string[]> {
    const rows = await this.env.asSuperuser<{ issue: string }>(
      `select concat_ws(' ', i ->> 'number', nullif(array_to_string(array(
         select jsonb_array_elements_text(i -> 'assignees')), '+'), '')) as issue
       from release r
       join observation o on o.repository_id = r.repository_id and o.kind = 'issues'
         and o.key = r.milestone_number::text
       cross join lateral jsonb_array_elements(o.value) as i
       where r.id = '${await this.id(version)}' order by (i ->> 'number')::integer`,
    );
    return rows.map(({ issue }) => issue);
  }

  /** The writes to issues of the repository on GitHub, each with the owner of the token. */
  writes(): readonly { readonly request: string; readonly bearer: string }[] {
    const of = `/repos/${this.repository.fullName}/issues/`;
    return this.env.exchanges
      .filter(({ method, path }) => method !== 'GET' && path.startsWith(of))
      .map(({ method, path, requestHeaders }) => ({
        request: `${method} ${path.slice(of.length)}`,
        bearer: (requestHeaders['authorization'] ?? '').replace(/^Bearer /, ''),
      }));
  }
}
