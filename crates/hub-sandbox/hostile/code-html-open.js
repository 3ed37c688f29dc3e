// an HTML comment as code
// ends: safe
<!-- x
return 1;
