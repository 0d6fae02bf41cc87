export function EmptyArt() {
  return (
    <svg width="152" height="72" viewBox="0 0 152 72" fill="none" strokeWidth="2" aria-hidden>
      <path d="M0 66h152" className="stroke-line2" />
      <path
        d="M16 60C22 46 38 54 54 43"
        className="stroke-accent-line"
        strokeDasharray="1 7"
        strokeLinecap="round"
      />
      <g className="stroke-field" strokeLinejoin="round">
        <path d="M58 14 92 2l34 12v40L92 66 58 54Z" className="fill-surface" />
        <path d="m58 14 34 13 34-13M92 27v39" />
      </g>
      <path d="m75 8 34 12.5v10" className="stroke-accent" strokeLinecap="round" strokeLinejoin="round" />
      <circle cx="12" cy="66" r="5" className="fill-surface stroke-accent" strokeWidth="2.5" />
    </svg>
  );
}
