import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';
import type { ProofSet } from './proofs';

interface ProofTagsProps {
  proofs: ProofSet;
  inheritedLabel: string;
}

/** A required proof in words. */
export function ProofTags({ proofs, inheritedLabel }: ProofTagsProps) {
  const { t } = useTranslation('proof-rules');
  if (proofs === null) return <span className="text-muted">{inheritedLabel}</span>;
  if (proofs.length === 0) return t('modes.nothing');
  return (
    <span className="inline-flex flex-wrap gap-1">
      {proofs.map((proof) => (
        <Tag key={proof}>{t(`proofs.${proof}`, { defaultValue: proof })}</Tag>
      ))}
    </span>
  );
}
