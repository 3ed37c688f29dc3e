// import.meta
// ends: syntax
return import.meta.url;
