import type { ActionProps } from './action-props';
import { AssignDriverDialog } from './assign-driver-dialog';
import { CorrectStatusDialog } from './correct-status-dialog';
import { EvidenceDialog } from './evidence-dialog';
import { RefuseDialog } from './refuse-dialog';
import { ReopenDialog } from './reopen-dialog';
import { RescheduleDialog } from './reschedule-dialog';

const dialogs = {
  reschedule: RescheduleDialog,
  refuse_after_attempt: RefuseDialog,
  reopen: ReopenDialog,
  correct_status: CorrectStatusDialog,
  assign_driver: AssignDriverDialog,
  add_evidence: EvidenceDialog,
};

/** The actions that ask for little. */
export type DialogAction = keyof typeof dialogs;

export default function ActionDialog({ action, ...props }: ActionProps & { action: DialogAction }) {
  const Dialog = dialogs[action];
  return <Dialog {...props} />;
}
