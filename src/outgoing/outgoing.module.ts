import { Module } from '@nestjs/common';
import { OutgoingRequestsService } from './outgoing-requests.service.js';

/** Requests to addresses that users or other services chose. One client, so that no other code has to decide which ones are permitted. */
@Module({ providers: [OutgoingRequestsService], exports: [OutgoingRequestsService] })
export class OutgoingModule {}
