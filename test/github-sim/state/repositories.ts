import type { Organization } from './organization.js';
import type { Repository } from './repository.js';

/** Every repository by id and by its present name. A former name works until another repository takes it. */
export class Repositories {
  private readonly byId = new Map<number, Repository>();
  private readonly formerNames = new Map<string, number>();

  add(repository: Repository): Repository {
    if (this.findByName(repository.owner.login, repository.name)) {
      throw new Error(`The repository ${repository.fullName} exists`);
    }
    this.byId.set(repository.id, repository);
    return repository;
  }

  remove(repository: Repository): void {
    this.byId.delete(repository.id);
  }

  find(id: number): Repository | null {
    return this.byId.get(id) ?? null;
  }

  findByName(owner: string, name: string): Repository | null {
    const requested = `${owner}/${name}`.toLowerCase();
    return [...this.byId.values()].find((repository) => repository.fullName.toLowerCase() === requested) ?? null;
  }

  /** The repository that had this name before it was renamed or transferred. */
  findByFormerName(owner: string, name: string): Repository | null {
    const id = this.formerNames.get(`${owner}/${name}`.toLowerCase());
    return id === undefined ? null : this.find(id);
  }

  recordName(repository: Repository): void {
    this.formerNames.set(repository.fullName.toLowerCase(), repository.id);
  }

  ownedBy(owner: Organization): readonly Repository[] {
    return [...this.byId.values()].filter((repository) => repository.owner === owner);
  }
}
