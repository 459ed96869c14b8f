# What the hosts of our checks share that run in someone else's process: the
# clang-tidy plugin and vramlint-clangd.

# vramlint_link_layers(TARGET): links all layers up to the checks into TARGET as
# plain files, without what they link to; LLVM and Clang come from the shared
# libraries that clang-tidy and clangd use. Two copies of LLVM in one process
# would each register their command-line options and abort.
function(vramlint_link_layers Target)
  target_link_libraries(${Target} PRIVATE vramlint_options)
  set(Files "")
  foreach(Layer checks gpu gpu_spec memory program torch interp frontend support)
    if(TARGET vramlint_${Layer})
      get_target_property(Type vramlint_${Layer} TYPE)
      if(Type STREQUAL "STATIC_LIBRARY")
        list(APPEND Files "$<TARGET_FILE:vramlint_${Layer}>")
        add_dependencies(${Target} vramlint_${Layer})
      endif()
    endif()
  endforeach()
  list(JOIN Files "," Group)
  target_link_libraries(${Target} PRIVATE "$<LINK_GROUP:RESCAN,${Group}>"
                        clang-cpp LLVM ZLIB::ZLIB)
endfunction()
