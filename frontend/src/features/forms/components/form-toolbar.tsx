import { Download, Link2, Printer } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { formAddress } from '../form-address';
import type { Paper } from '../paper';
import type { Part } from '../parts';
import type { Form } from '../queries';
import { usePdfDownload } from '../use-pdf-download';
import { PaperSwitch } from './paper-switch';

interface FormToolbarProps {
  form: Form;
  paper: Paper;
  without: readonly Part[];
  onPaper: (paper: Paper) => void;
  onPrint: () => void;
}

export function FormToolbar({ form, paper, without, onPaper, onPrint }: FormToolbarProps) {
  const { t } = useTranslation(['forms', 'common']);
  const pdf = usePdfDownload(form, { paper, without });

  async function copy() {
    try {
      await navigator.clipboard.writeText(formAddress(form));
      toast.success(t('tools.copied'));
    } catch {
      toast.error(t('tools.copyFailed'));
    }
  }

  return (
    <div className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2 md:px-6 print:hidden">
      <h2 className="mr-1 text-base font-semibold wrap-anywhere">
        <Link
          to={routes.viewDelivery({ deliveryId: form.deliveryId })}
          className="hover:underline"
        >
          {form.deliveryId}
        </Link>
      </h2>
      <StatusChip kind="delivery" status={form.status} size={24} />
      <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0">
        <PaperSwitch paper={paper} onChange={onPaper} />
        <Button icon={Link2} onClick={() => void copy()}>
          {t('tools.copy')}
        </Button>
        <Button icon={Download} aria-disabled={pdf.isBusy || undefined} onClick={pdf.start}>
          {t(pdf.isBusy ? 'tools.downloading' : 'tools.download')}
        </Button>
        <Button variant="primary" icon={Printer} onClick={onPrint}>
          {t('tools.print')}
        </Button>
      </div>
    </div>
  );
}
