import type { JsonReader } from '../transport/json-reader.js';

/** What whoever asked may do in a repository, by their role there: their token may still reach less. */
interface RepositoryRights {
  /** May label, assign and plan issues. */
  readonly triage: boolean;
  readonly push: boolean;
  readonly administer: boolean;
}

/** A repository as the code host describes it now. */
export interface Repository {
  readonly id: number;
  readonly name: string;
  readonly owner: string;
  readonly ownerId: number;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly archived: boolean;
  readonly url: string;
  /** Null where the host does not tell. */
  readonly rights: RepositoryRights | null;
}

export function repositoryOf(body: JsonReader): Repository {
  const owner = body.object('owner');
  const permissions = body.objectOrNull('permissions');
  return {
    id: body.integer('id'),
    name: body.text('name'),
    owner: owner.text('login'),
    ownerId: owner.integer('id'),
    private: body.flag('private'),
    defaultBranch: body.text('default_branch'),
    archived: body.flag('archived'),
    url: body.text('html_url'),
    rights: permissions && rightsOf(permissions),
  };
}

function rightsOf(permissions: JsonReader): RepositoryRights {
  const push = permissions.flag('push');
  return {
    // A host that does not tell it apart tells of what includes it.
    triage: permissions.has('triage') ? permissions.flag('triage') : push,
    push,
    administer: permissions.flag('admin'),
  };
}
