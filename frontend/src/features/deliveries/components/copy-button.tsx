import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { toast } from '@/ui/toast';

export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('deliveries');

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t('view.copied'));
    } catch {
      toast.error(t('view.copyFailed'));
    }
  }

  return <IconButton icon={Copy} size={28} label={t('view.copy')} onClick={() => void copy()} />;
}
