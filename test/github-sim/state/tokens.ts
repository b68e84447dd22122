import { randomBytes } from 'node:crypto';
import type { App } from './app.js';
import type { Installation } from './installation.js';
import type { PermissionLevel } from './permission.js';
import type { User } from './user.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

/** A token of an installation, limited as requested. */
interface InstallationCredential {
  readonly kind: 'installation';
  readonly installation: Installation;
  /** Null means every repository of the installation, now and later. */
  readonly repositoryIds: ReadonlySet<number> | null;
  readonly permissions: Readonly<Record<string, PermissionLevel>>;
  readonly expiresAt: Date;
}

interface UserCredential {
  readonly kind: 'user';
  readonly user: User;
  /** The app that the user authorized; null for a personal token. */
  readonly app: App | null;
  /** The scopes of a classic token besides `repo`. */
  readonly scopes: ReadonlySet<PersonalScope>;
  readonly expiresAt: Date | null;
}

/** The scopes of classic tokens that the simulator distinguishes. */
type PersonalScope = 'workflow';

export type Credential = InstallationCredential | UserCredential;

const HOUR = 3_600_000;

/** Every token that was issued and not revoked. An expired token is unknown. */
export class Tokens {
  private readonly credentials = new Map<string, Credential>();

  constructor(private readonly state: SimulatedGitHubState) {}

  /** By default with every scope. */
  issuePersonal(user: User, scopes: readonly PersonalScope[] = ['workflow']): string {
    return this.store('ghp', { kind: 'user', user, app: null, scopes: new Set(scopes), expiresAt: null });
  }

  issueForUser(user: User, app: App): string {
    const expiresAt = new Date(this.state.now().getTime() + 8 * HOUR);
    return this.store('ghu', { kind: 'user', user, app, scopes: new Set(), expiresAt });
  }

  issueForInstallation(credential: Omit<InstallationCredential, 'kind' | 'expiresAt'>): {
    token: string;
    expiresAt: Date;
  } {
    const expiresAt = new Date(this.state.now().getTime() + HOUR);
    return { token: this.store('ghs', { kind: 'installation', ...credential, expiresAt }), expiresAt };
  }

  find(token: string): Credential | null {
    const credential = this.credentials.get(token);
    if (!credential) return null;
    return credential.expiresAt && credential.expiresAt <= this.state.now() ? null : credential;
  }

  revoke(token: string): void {
    this.credentials.delete(token);
  }

  revokeAllOf(holder: User | Installation): void {
    for (const [token, credential] of this.credentials) {
      const belongs = credential.kind === 'user' ? credential.user === holder : credential.installation === holder;
      if (belongs) this.credentials.delete(token);
    }
  }

  private store(prefix: string, credential: Credential): string {
    const token = `${prefix}_${randomBytes(18).toString('hex')}`;
    this.credentials.set(token, credential);
    return token;
  }
}
