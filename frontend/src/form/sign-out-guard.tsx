import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { LeaveDialog } from './leave-dialog';
import { guardUnsaved } from './unsaved';
import { useConfirm } from './use-confirm';

interface SignOutGuardProps {
  /** Whether a sign-out would lose something. */
  when: boolean;
  /** Says what a sign-out deletes. */
  text: string;
}

/** Asks before a sign-out, for work that is kept in this browser until then. Leaving its page loses nothing. */
export function SignOutGuard({ when, text }: SignOutGuardProps) {
  const { t } = useTranslation('form');
  const { isOpen, confirm, answer } = useConfirm();
  useEffect(() => (when ? guardUnsaved(confirm) : undefined), [when, confirm]);
  return isOpen ? <LeaveDialog title={t('unsaved.title')} text={text} onAnswer={answer} /> : null;
}
