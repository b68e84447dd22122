/** As whom a call is made: the app itself, or one installation of it, with its reach cut down to one repository where given. */
export type TokenScope =
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly installationId: number; readonly repositoryId: number | null };

export type InstallationScope = Extract<TokenScope, { kind: 'installation' }>;

export const APP_SCOPE: TokenScope = { kind: 'app' };

export const installationScope = (installationId: number): InstallationScope => ({
  kind: 'installation',
  installationId,
  repositoryId: null,
});

export const repositoryScope = (ref: { readonly installationId: number; readonly id: number }): InstallationScope => ({
  kind: 'installation',
  installationId: ref.installationId,
  repositoryId: ref.id,
});

/** A key under which what one scope may see is never mistaken for what another may. */
export const scopeKey = (scope: TokenScope): string =>
  scope.kind === 'app' ? 'app' : `installation:${scope.installationId}:${scope.repositoryId ?? 'all'}`;

/** The host counts the calls of an installation together, whatever its tokens; those of the app apart. */
export const budgetKey = (scope: TokenScope): string =>
  scope.kind === 'app' ? 'app' : `installation:${scope.installationId}`;
