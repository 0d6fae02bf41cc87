import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { CopyField } from '@/ui/copy-field';
import { Dialog, DialogContent } from '@/ui/dialog';

/** The only time that a secret is shown. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation(['dead-letters', 'common']);
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        title={t('secret.title')}
        description={t('secret.text')}
        width={560}
        staysOpen
        footer={<Button onClick={onClose}>{t('close', { ns: 'common' })}</Button>}
      >
        <CopyField label={t('secret.label')} text={secret} />
      </DialogContent>
    </Dialog>
  );
}
