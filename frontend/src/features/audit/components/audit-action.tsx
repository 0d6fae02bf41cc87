import { useTranslation } from 'react-i18next';
import { actionKey } from '../actions';

export function AuditAction({ action }: { action: string }) {
  const { t } = useTranslation('audit');
  return t(actionKey(action), { defaultValue: action });
}
