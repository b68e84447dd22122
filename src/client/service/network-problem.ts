/** The errors of a network that may pass. An error of TLS or of a proxy's password does not pass, so it is not listed. */
const TEMPORARY: Readonly<Record<string, (host: string) => string>> = {
  EAI_AGAIN: (host) => `The name ${host} cannot be resolved now`,
  ECONNREFUSED: (host) => `${host} refuses the connection. Nothing listens there, or a firewall is in between`,
  ECONNRESET: (host) => `${host} closed the connection before its answer was complete`,
  EHOSTUNREACH: (host) => `There is no way to ${host} in this network`,
  ENETUNREACH: (host) => `There is no way to ${host} in this network`,
  ENOTFOUND: (host) => `The name ${host} is not known. Is the address right?`,
  EPIPE: (host) => `${host} closed the connection before its answer was complete`,
  ETIMEDOUT: (host) => `${host} does not accept the connection in time`,
  UND_ERR_BODY_TIMEOUT: (host) => `${host} did not send its whole answer in time`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} does not accept the connection in time`,
  UND_ERR_HEADERS_TIMEOUT: (host) => `${host} did not answer in time`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) => `${host} did not send its whole answer`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before its answer was complete`,
};

const FURTHER_AUTHORITIES = 'NODE_EXTRA_CA_CERTS names a file with further authorities';

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet. Is the clock right?',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};

/** An error of the HTTP library or of the system, as far as its sentence depends on it. */
export interface NetworkError {
  readonly code?: string | undefined;
  readonly message: string;
}

/** Why no answer came, in words for users. Users know no codes of the library and of the system. */
export function networkProblem(
  { code = '', message }: NetworkError,
  host: string,
): { readonly sentence: string; readonly isTemporary: boolean } {
  const temporary = TEMPORARY[code]?.(host);
  if (temporary !== undefined) return { sentence: temporary, isTemporary: true };
  // `HPE_…`: as from a service that is starting behind a tunnel.
  if (code.startsWith('HPE_')) return { sentence: `${host} does not answer by HTTP`, isTemporary: true };
  return { sentence: lastingProblem(code, message, host), isTemporary: false };
}

function lastingProblem(code: string, message: string, host: string): string {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined) return `The proxy refuses the connection to ${host} with the status ${status}`;
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) return `The certificate of ${host} ${certificate}`;
  if (/CERT|SIGNATURE|ISSUER/.test(code)) {
    return `The certificate of ${host} is of no authority that this computer knows. ${FURTHER_AUTHORITIES}`;
  }
  if (/SSL|TLS|EPROTO/.test(code)) return `${host} does not speak TLS as expected. Is the port of the address right?`;
  return `${host} gave no answer`;
}
