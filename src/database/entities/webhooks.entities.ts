import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

// Deliveries from GitHub. A delivery has no tenant until it is parsed.

/** A delivery in the inbox. */
@Entity('webhook_delivery')
@Check('webhook_delivery_status_check', "status in ('pending', 'done', 'ignored', 'dead')")
@Index('webhook_delivery_by_status', ['status', 'receivedAt'])
@Index('webhook_delivery_waiting', ['installationId', 'later'], { where: "status = 'pending'" })
export class WebhookDelivery {
  @PrimaryColumn('text') guid: string;
  @Column('text') event: string;
  @Column('bigint', { nullable: true }) installationId: number | null;
  @Column('bigint', { nullable: true }) repositoryGithubId: number | null;
  @Column('text', { nullable: true }) body: string | null;
  @Column('text') status: 'pending' | 'done' | 'ignored' | 'dead';
  @Column('integer', { default: 0 }) attempts: number;
  @Column('text', { nullable: true }) lastError: string | null;
  @Column('timestamptz') receivedAt: Date;
  @Column('timestamptz', { nullable: true }) finishedAt: Date | null;
  @Column('boolean', { default: false }) later: boolean;
}

/** A delivery that never arrived. The service requests its redelivery from GitHub. */
@Entity('missed_delivery')
@Index('missed_delivery_by_turn', ['nextRedeliveryAt'])
export class MissedDelivery {
  @PrimaryColumn('text') guid: string;
  @Column('bigint') deliveryId: number;
  @Column('integer', { default: 0 }) redeliveryCount: number;
  @Column('timestamptz') nextRedeliveryAt: Date;
  @Column('timestamptz') detectedAt: Date;
}

/** The time up to which the list of deliveries was checked. The table has one row. */
@Entity('delivery_scan')
@Check('delivery_scan_only_one_check', 'only_one')
export class DeliveryScan {
  @PrimaryColumn('boolean', { default: true }) onlyOne: boolean;
  @Column('timestamptz') scannedUntil: Date;
}
