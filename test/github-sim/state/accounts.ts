import { Account } from './account.js';
import { Organization } from './organization.js';
import { User } from './user.js';

/** Every existing account, by id and by its present login, in any letter case. */
export class Accounts {
  private readonly byId = new Map<number, Account>();

  add<A extends Account>(account: A): A {
    this.requireFree(account.login);
    this.byId.set(account.id, account);
    return account;
  }

  rename(account: Account, login: string): void {
    if (login.toLowerCase() !== account.login.toLowerCase()) this.requireFree(login);
    account.login = login;
  }

  remove(account: Account): void {
    this.byId.delete(account.id);
  }

  has(account: Account): boolean {
    return this.byId.has(account.id);
  }

  find(login: string): Account | null {
    const requested = login.toLowerCase();
    return [...this.byId.values()].find((account) => account.login.toLowerCase() === requested) ?? null;
  }

  findUser(login: string): User | null {
    const account = this.find(login);
    return account instanceof User ? account : null;
  }

  findOrganization(login: string): Organization | null {
    const account = this.find(login);
    return account instanceof Organization ? account : null;
  }

  /** The account of commits with this address. */
  findByEmail(email: string): User | null {
    return this.users().find((user) => user.email === email) ?? null;
  }

  users(): readonly User[] {
    return [...this.byId.values()].filter((account) => account instanceof User);
  }

  organizations(): readonly Organization[] {
    return [...this.byId.values()].filter((account) => account instanceof Organization);
  }

  private requireFree(login: string): void {
    if (this.find(login)) throw new Error(`The login ${login} is taken`);
  }
}
