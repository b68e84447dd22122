/** The response of the API, or its error message. */
export type Answer<Body> =
  { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly status: number; readonly error: string };

export type Role = 'admin' | 'member';

/** The signed-in user and the selected workspace. */
export interface Me {
  readonly user: { readonly login: string; readonly name: string | null; readonly avatarUrl: string };
  readonly workspace: { readonly org: string; readonly role: Role } | null;
  readonly platformAdmin: boolean;
  /** Whether the organizations of the user are being read. A workspace may appear within seconds. */
  readonly reading?: boolean;
}

const UNREACHABLE = 'Shipgate cannot be reached. Check your connection, then try again.';

/** Sends a request to the API as the signed-in user. Never throws; returns the error instead. */
export async function request<Body>(path: string, method = 'GET', body?: object): Promise<Answer<Body>> {
  try {
    const response = await fetch(path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answered = (text === '' ? {} : JSON.parse(text)) as Body & { readonly error?: string };
    if (response.ok) return { ok: true, body: answered };
    return { ok: false, status: response.status, error: answered.error ?? `Shipgate answered ${response.status}.` };
  } catch {
    return { ok: false, status: 0, error: UNREACHABLE };
  }
}

/** Builds the URL of the sign-in, which returns to this path of the service. */
export const signInAddress = (returnTo: string): string => `/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
