/**
 * Faults between GitHub and an app:
 * - `drop`: never arrives, and the log contains the failure
 * - `lose`: never arrives, and the log does not contain it
 * - `duplicate`: arrives twice under one GUID
 * - `reorder`: arrives after the next delivery to the same app
 * - `delay`: arrives `ms` later, after the deliveries that follow
 * - `tamper`: its body is changed after it was signed
 * - `unsigned`: arrives without a signature
 */
type WebhookFaultKind = 'drop' | 'lose' | 'duplicate' | 'reorder' | 'delay' | 'tamper' | 'unsigned';

export interface WebhookFault {
  readonly kind: WebhookFaultKind;
  /** An event (`milestone`) or one of its actions (`milestone.created`); any if absent. */
  readonly event?: string;
  /** The number of affected deliveries; 1 if absent. */
  readonly times?: number;
  /** For `delay`: the delay in milliseconds. */
  readonly ms?: number;
  /** For `tamper`: the change of the body. If absent, a space is added, so the body has the same meaning. */
  readonly change?: (body: string) => string;
}

interface PlannedFault {
  readonly fault: WebhookFault;
  left: number;
}

/** Planned faults, in the order of their planning. */
export class WebhookFaults {
  private planned: PlannedFault[] = [];

  /** Plans a fault for the next deliveries that match. */
  next(fault: WebhookFault): void {
    this.planned.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.planned = [];
  }

  /** Returns the fault for this delivery, and counts it as used once. Null if there is none. */
  take({ event, action }: { readonly event: string; readonly action: string | null }): WebhookFault | null {
    const names = new Set([undefined, event, `${event}.${action}`]);
    const planned = this.planned.find(({ fault }) => names.has(fault.event));
    if (!planned) return null;
    planned.left -= 1;
    if (planned.left <= 0) this.planned = this.planned.filter((other) => other !== planned);
    return planned.fault;
  }
}
