/** A process of its own that asks for a page, one round with each order that it is sent, and answers with what it measured. */
import { followOrders } from '../measuring/load-orders.js';
import { type ListSubject, listQuestions } from './list-question.js';

followOrders((subject: ListSubject) => listQuestions(subject));
